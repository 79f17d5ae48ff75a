"""Learn: train up to three methods and watch accuracy, confidence and contexts grow."""

from pages.learn import recorded, state, widgets
from pages.learn.view import show_view
from pages.shell.head import show_notices

plan, _, notices = state.PAGE.open(recorded.PLAN)
place = widgets.head()
show_notices(notices)
if widgets.choose_data(plan):
    widgets.choose_settings(plan, place)
    show_view(plan)
