"""The recorded video of a run: it plays, can be cancelled, and a browser without support shows a notice."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import base64

import pytest

from rcmviz.views.mass_flow.payload import build_mass_flow
from rcmviz.views.shared.export import page as page_text
from support.browser import chromium, page_of, saved  # noqa: F401
from support.toy_runs import runs_of

DRAWN = ".rv-flow[data-ready=true]"
BUTTON = ".rv-flow-video"
SECONDS = 9.2  # of a position

# Plays a file at the end of which the browser learns how long it is, and counts different frames on the way.
PLAYED = """async (address) => {
    const video = Object.assign(document.createElement("video"), { muted: true, src: address });
    document.body.append(video);
    const comes = (name) => new Promise((resolve, reject) => {
        video.addEventListener(name, resolve, { once: true });
        setTimeout(() => reject(new Error(`no ${name}`)), 10_000);
    });
    await comes("loadeddata");
    const canvas = Object.assign(document.createElement("canvas"), { width: 320, height: 200 });
    const frames = new Set();
    const goTo = async (time) => {
        const seeked = comes("seeked");
        video.currentTime = time;
        await seeked;
        canvas.getContext("2d").drawImage(video, 0, 0, 320, 200);
        frames.add(canvas.toDataURL());
    };
    await goTo(1e6);
    for (const share of [0.1, 0.3, 0.5, 0.7, 0.9]) await goTo(share * video.duration);
    return { duration: video.duration, width: video.videoWidth, frames: frames.size };
}"""


# Notices vanish after some seconds, so their texts are recorded.
LISTEN = """() => {
    const said = window.said = [];
    const notice = document.querySelector(".rv-said");
    new MutationObserver(() => said.push(notice.textContent)).observe(notice, { childList: true, characterData: true,
        subtree: true });
}"""


@pytest.fixture
def picture(saved):
    """A function that opens a run of some positions."""

    def opened(length=1):
        runs = runs_of(("beam", "rcms"), length=length)
        text = page_text(build_mass_flow(None, runs, gold="a" * length), "a word", "mass_flow")
        return saved(text, DRAWN, query="?pos=1&phase=sort", width=1280, height=800)

    return opened


def test_the_video_plays_the_whole_run(picture):
    page = picture()
    with page.expect_download(timeout=60_000) as waiting:
        page.click(BUTTON)
        page.wait_for_function(f"() => /cancel video, [1-9]/.test(document.querySelector('{BUTTON}').textContent)")
    assert waiting.value.suggested_filename.endswith(".webm")
    with open(waiting.value.path(), "rb") as file:
        content = file.read()
    ends_at = page.get_attribute(".rv-flow", "data-time")
    label = page.inner_text(BUTTON)
    page.goto("about:blank")  # an exported page loads no media
    seen = page.evaluate(PLAYED, "data:video/webm;base64," + base64.b64encode(content).decode())
    assert seen["duration"] == pytest.approx(SECONDS, abs=1.5)
    assert seen["width"] >= 1280 and seen["frames"] >= 4
    assert (ends_at, label) == ("1.999", "video")


def test_a_video_can_be_cancelled(picture):
    page = picture(length=6)
    page.evaluate(LISTEN)
    page.click(BUTTON)
    page.wait_for_function(f"""() => {{  // clicks before the next frame: a slow machine may draw few of them
        const button = document.querySelector('{BUTTON}');
        const records = button.textContent.startsWith('cancel');
        if (records) button.click();
        return records;
    }}""")
    page.wait_for_function("() => window.said.length")
    assert page.evaluate("window.said[0]") == "video cancelled"
    assert page.get_attribute(".rv-flow", "data-time") == "1.999"


def test_a_browser_without_recording_shows_a_notice(picture):
    page = picture()
    page.evaluate("() => delete window.MediaRecorder")
    page.evaluate(LISTEN)
    page.click(BUTTON)
    page.wait_for_function("() => window.said.some(text => text.includes('cannot record videos'))")
