"""What people uploaded, kept by this process for links that name it: the latest few."""


def keep_latest(uploads, digest, content, most, check=lambda: None):
    """Keep ``content`` as the latest of ``most`` in an OrderedDict, unless ``check`` raises ValueError."""
    uploads[digest] = content
    uploads.move_to_end(digest)
    try:
        check()
    except ValueError:
        del uploads[digest]
        raise
    while len(uploads) > most:
        uploads.popitem(last=False)
