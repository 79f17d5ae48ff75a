// The line to the server of a class: a websocket that comes back by itself.

const FIRST = 250; // milliseconds until the first new try, twice as long before each that follows
const LONGEST = 8000;
const AGAINST_THE_RULES = 1008; // a client that was shut out does not retry

// `hello()` is sent first on every connection, `received(message)` gets messages, `heard(on, why)` whether
// it is connected; `why` if the server refuses.
export function connect(address, { hello = () => null, received, heard }) {
  let socket = null;
  let timer = null;
  let tries = 0;
  let over = false;

  function open() {
    clearTimeout(timer);
    if (over) return;
    socket = new WebSocket(address.replace(/^http/, "ws"));
    socket.onopen = () => {
      tries = 0;
      const first = hello();
      if (first) send(first);
      heard(true);
    };
    socket.onmessage = (event) => received(JSON.parse(event.data));
    socket.onclose = (event) => {
      const shut = event.code === AGAINST_THE_RULES;
      over ||= shut;
      heard(false, shut ? event.reason || "the server does not want to hear this" : null);
      if (!over) wait();
    };
  }

  // Spreads the clients of a class when the server comes back.
  function wait() {
    const delay = Math.min(LONGEST, FIRST * 2 ** tries) * (0.5 + Math.random());
    tries += 1;
    timer = setTimeout(open, delay);
  }

  function send(message) {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  }

  // A phone that was asleep does not wait for its next try.
  function awake() {
    if (document.visibilityState === "visible" && socket?.readyState === WebSocket.CLOSED) open();
  }

  function close() {
    over = true;
    clearTimeout(timer);
    window.removeEventListener("online", awake);
    document.removeEventListener("visibilitychange", awake);
    socket?.close();
  }

  window.addEventListener("online", awake);
  document.addEventListener("visibilitychange", awake);
  open();
  return { send, close };
}
