"""People who use the application: sessions over a websocket that speak Streamlit's protocol as a browser does."""

import asyncio
import json
import time
import urllib.request

PATIENCE = 300.0  # seconds for anything


class Person:
    """A session with its received elements and its requests; it answers ticks and has its own cookie."""

    def __init__(self, server, page, query):
        self.server, self.page, self.query = server, page, query
        self.widgets, self.values, self.ticks, self.hash = {}, {}, [], ""
        self.cached = set()  # hashes of large messages: a browser keeps them, and is sent a reference instead
        self.finished, self.requested, self.old = asyncio.Event(), "", []  # the fragment that runs; ticks before it
        self.last_tick = 0.0

    async def open(self):
        """Load the page; returns the seconds until its first run has ended."""
        from websockets.asyncio.client import connect

        with urllib.request.urlopen(self.server.address) as answer:
            cookie = answer.headers["set-cookie"].partition(";")[0]
        began = time.perf_counter()
        self.line = await connect(
            self.server.address.replace("http", "ws") + "/_stcore/stream",
            max_size=None,
            subprotocols=["streamlit"],
            origin=self.server.address,
            additional_headers={"Cookie": cookie},
            ping_interval=None,
        )
        self.hearing = asyncio.create_task(self._listen())
        await self.run()
        return time.perf_counter() - began

    async def run(self, fragment="", changed=None, trigger=None):
        """Ask for a run of the page, or of a fragment of it, and wait for its end; returns the seconds."""
        self.values |= changed or {}
        message = self._request(fragment)
        if trigger:
            message.rerun_script.widget_states.widgets.add(id=trigger, trigger_value=True)
        self.finished.clear()
        self.requested = fragment
        began = time.perf_counter()
        await self.line.send(message.SerializeToString())
        waiting = asyncio.create_task(self.finished.wait())
        await asyncio.wait((waiting, self.hearing), timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done():
            waiting.cancel()
            cause = self.hearing.exception() if self.hearing.done() else None
            raise RuntimeError(f"{self.page}: no answer") from cause
        return time.perf_counter() - began

    def _request(self, fragment):
        from streamlit.proto.BackMsg_pb2 import BackMsg

        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_script_hash, state.fragment_id = self.query, self.hash, fragment
        state.page_name = "" if self.hash else self.page
        state.cached_message_hashes.extend(self.cached)
        for name, value in self.values.items():
            state.widget_states.widgets.add(id=name, json_value=json.dumps(value))
        return message

    async def _listen(self):
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        async for packed in self.line:
            message = ForwardMsg()
            message.ParseFromString(packed)
            kind = message.WhichOneof("type")
            if message.metadata.cacheable:
                self.cached.add(message.hash)
            if kind == "new_session":
                self.old = self.ticks[:]
            elif kind == "navigation":  # by a name alone the next run would show the first page
                self.hash = message.navigation.page_script_hash
            elif kind == "delta":
                self._see(message.delta)
            elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self._finish(message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY)

    def _finish(self, is_whole):
        if is_whole:  # clocks of the run before tick no more
            for task in self.old:
                task.cancel()
        if self.requested or is_whole:
            self.finished.set()

    def _see(self, delta):
        element, kind = delta.new_element, delta.new_element.WhichOneof("type")
        if kind == "bidi_component" and element.bidi_component.component_name.endswith("clock"):
            self.ticks.append(asyncio.create_task(self._tick(element.bidi_component, delta.fragment_id)))
        elif kind == "bidi_component":
            self.widgets[element.bidi_component.component_name] = element.bidi_component.id, delta.fragment_id
        elif kind == "button":
            self.widgets[element.button.label] = element.button.id, delta.fragment_id

    async def _tick(self, clock, fragment):
        """Answer a tick of a clock as a browser does: its fragment runs again."""
        await asyncio.sleep(json.loads(clock.bytes)["seconds"])
        self.last_tick = time.perf_counter()
        message = self._request(fragment)
        event = json.dumps([{"event": "tick", "value": True}])
        message.rerun_script.widget_states.widgets.add(
            id=f"$$STREAMLIT_INTERNAL_KEY_{clock.id}__events", json_trigger_value=event
        )
        await self.line.send(message.SerializeToString())

    def widget(self, label):
        """(id, fragment) of a button or a component that was shown."""
        return next(found for name, found in self.widgets.items() if label in name)

    async def leave(self):
        """Close the connection."""
        for task in (*self.ticks, self.hearing):
            task.cancel()
        await self.line.close()
