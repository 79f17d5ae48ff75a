// The run as a video, from its beginning to the poster at normal speed. The browser records it while it plays.

import { html, setText } from "../shared/dom.js";
import { save } from "../shared/download.js";
import { canvasFor, drawingOf, paintOn } from "./drawing.js";
import { secondsOf, timeAfter } from "./phases.js";

const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
const RATE = 30; // frames a second at most
const BITS = 6_000_000; // a second
const [LEAST_WIDTH, MOST_SCALE] = [1280, 2]; // a narrow picture is recorded larger
const CANNOT = "This browser cannot record videos; Chrome, Edge, Firefox and Safari 14.1 can.";
const LABEL = "video";

const kindOf = () =>
  typeof MediaRecorder === "undefined" || !HTMLCanvasElement.prototype.captureStream
    ? null
    : KINDS.find((kind) => MediaRecorder.isTypeSupported(kind));

// The button that records, shows how far it is, and cancels.
export function makeVideoButton(view, file, say) {
  let recording = null;
  const title = `the run as a video; recorded while it plays, ${Math.ceil(secondsOf(view.payload.T))} s`;
  const looks = { type: "button", class: "rv-button rv-quiet rv-flow-video" };
  const node = html("button", { ...looks, title, onclick: press }, LABEL);

  async function press() {
    if (recording) {
      recording.abort();
      return;
    }
    const kind = kindOf();
    if (!kind) {
      say(CANNOT);
      return;
    }
    recording = new AbortController();
    const { signal } = recording;
    const progress = (share) => setText(node, `cancel video, ${Math.floor(100 * share)} %`);
    const goes = () => !signal.aborted && node.isConnected;
    const cancelled = new Promise((resolve) => signal.addEventListener("abort", () => resolve(null)));
    const stood = view.s;
    try {
      const blob = await Promise.race([record(view, kind, { progress, goes }), cancelled]);
      if (blob) save(blob, `${file()}.${kind.startsWith("video/mp4") ? "mp4" : "webm"}`);
      say(blob ? "video saved" : "video cancelled");
    } catch (error) {
      say(`The video could not be recorded: ${error.message}`);
    } finally {
      recording = null;
      setText(node, LABEL);
      if (node.isConnected) {
        view.put(stood);
        view.rested();
      }
    }
  }

  return node;
}

// The blob, or null if it was cancelled. The picture moves along.
async function record(view, kind, { progress, goes }) {
  view.pause();
  view.put(0);
  const first = drawingOf(view);
  const scale = Math.min(MOST_SCALE, Math.max(1, LEAST_WIDTH / first.getAttribute("width")));
  const canvas = canvasFor(first, scale);
  await paintOn(canvas, first);
  const recorder = new MediaRecorder(canvas.captureStream(RATE), { mimeType: kind, videoBitsPerSecond: BITS });
  const chunks = [];
  recorder.addEventListener("dataavailable", ({ data }) => chunks.push(data));
  const ended = new Promise((resolve) => recorder.addEventListener("stop", resolve, { once: true }));
  recorder.start(1000);
  let isWhole;
  try {
    isWhole = await playInto(view, canvas, recorder, { progress, goes });
  } finally {
    recorder.stop();
    await ended;
    for (const track of recorder.stream.getTracks()) track.stop();
  }
  return isWhole ? new Blob(chunks, { type: kind.split(";")[0] }) : null;
}

// The time of the video is that of the wall, however long a frame takes to draw; in a hidden tab both stand still.
async function playInto(view, canvas, recorder, { progress, goes }) {
  const whole = secondsOf(view.payload.T);
  let [seconds, ticked] = [0, performance.now()];
  while (goes()) {
    if (document.hidden) {
      recorder.pause();
      await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
      recorder.resume();
      ticked = performance.now();
      continue;
    }
    const now = performance.now();
    [seconds, ticked] = [seconds + (now - ticked) / 1000, now];
    if (view.playing) view.pause();
    view.put(timeAfter(seconds));
    await paintOn(canvas, drawingOf(view));
    if (!goes()) return false;
    progress(Math.min(1, seconds / whole));
    if (seconds >= whole) return true;
    await new Promise(requestAnimationFrame);
  }
  return false;
}
