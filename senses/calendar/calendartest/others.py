# Expands an iCalendar file as python3-recurring-ical-events does: prints UID and
# start, in seconds, of what starts after argv[2] and before argv[3].
import datetime, sys
import icalendar, recurring_ical_events

utc = datetime.timezone.utc
first, last = (datetime.datetime.fromtimestamp(int(a), utc) for a in sys.argv[2:4])
day = datetime.timedelta(days=1)
with open(sys.argv[1], "rb") as file:
    calendar = icalendar.Calendar.from_ical(file.read())
for event in recurring_ical_events.of(calendar).between(first - day, last + day):
    start = event["DTSTART"].dt
    if not isinstance(start, datetime.datetime):
        start = datetime.datetime(start.year, start.month, start.day)
    if start.tzinfo is None:
        start = start.replace(tzinfo=utc)
    if first < start < last:
        print(event["UID"], int(start.timestamp()))
