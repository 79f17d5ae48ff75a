"""Components of views in an empty page, without a server."""


def recording_page(watched, script, name):
    """Load a component's script into an empty page; ``draw(data)`` shows data, ``messages`` collects its reports."""
    watched.page.set_content('<div id="place" style="width: 1200px"></div>')
    watched.page.add_script_tag(
        type="module",
        content=f"""{script}
        window.messages = [];
        const say = (key, value) => window.messages.push([key, value]);
        const parentElement = document.getElementById("place");
        window.draw = data => {{
            window.leave = {name}({{ parentElement, data, setStateValue: say, setTriggerValue: say }});
        }};""",
    )
    watched.page.wait_for_function("() => window.draw")
    return watched.page
