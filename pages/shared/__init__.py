"""What all pages share: links, trainings beside a page, uploads, text."""
