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


def decoded(name, content):
    """The text of an uploaded file's bytes; ValueError where it is none."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{name} is no text in UTF-8: save it as such, and choose it again") from None
