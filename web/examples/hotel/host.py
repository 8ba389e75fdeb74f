"""The hotel: prices each night, and takes the nights that other guests book."""

import datetime, time


def work(api, admin):
    stay = next(admin.sessions())["session"]
    first = datetime.date.today()
    days = [first + datetime.timedelta(days=count) for count in range(120)]
    prices = {day: 140 if day.weekday() in (4, 5) else 95 for day in days}
    api.patch_notes(stay, {"days": {
        str(day): {"text": f"€{price}", "amount": price} for day, price in prices.items()}})
    # A booking of another guest every minute: two nights, a week after the one before it.
    for number, day in enumerate(days[9::7]):
        nights = {"from": str(day), "through": str(day + datetime.timedelta(days=1))}
        api.patch_definition(stay, {"taken": {f"booking-{number}": nights}})
        time.sleep(0 if number < 4 else 60)
