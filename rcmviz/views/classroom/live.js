// The connection to the server of a class: a websocket that reconnects by itself.

const FIRST = 250; // milliseconds until the first retry; doubled before each further one
const LONGEST = 8000;
const AGAINST_THE_RULES = 1008; // a browser that was shut out does not retry

// `hello()` is sent first on each connection, `received(message)` gets messages, `connection(on, why)` tells whether
// there is a connection; `why` is the reason if the server refuses one.
export function connect(address, { hello = () => null, received, connection }) {
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
      connection(true);
    };
    socket.onmessage = (event) => received(JSON.parse(event.data));
    socket.onclose = (event) => {
      const shut = event.code === AGAINST_THE_RULES;
      over ||= shut;
      connection(false, shut ? event.reason || "the server refused the connection" : null);
      if (!over) wait();
    };
  }

  // A random delay, so that not all browsers reconnect at once.
  function wait() {
    const delay = Math.min(LONGEST, FIRST * 2 ** tries) * (0.5 + Math.random());
    tries += 1;
    timer = setTimeout(open, delay);
  }

  function send(message) {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  }

  // Reconnects at once after a phone was asleep.
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
