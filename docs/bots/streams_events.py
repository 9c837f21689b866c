import http.client
import json
import time
import urllib.error
import urllib.request

from sluice import SLUICE, bearer

# A comment comes every 15 s: after a longer silence the connection is lost.
SILENCE_S = 45


def stream_of(query=""):
    """What is known first, then what happens; after each end of the connection, what was missed."""
    last_id, rejected, pause = "", None, 1
    while True:
        authorization = None
        try:
            authorization = bearer(rejected)
            headers = {"Authorization": authorization, "Last-Event-ID": last_id}
            request = urllib.request.Request(f"{SLUICE}/api/streams/events{query}", headers=headers)
            with urllib.request.urlopen(request, timeout=SILENCE_S) as response:
                for line in response:
                    pause = 1
                    # The last line of a connection that was cut is no whole one.
                    if not line.startswith(b"data: ") or not line.endswith(b"\n"):
                        continue
                    event = json.loads(line[6:])
                    yield event
                    # It has been dealt with: the next connection begins after it.
                    last_id = event["id"]
        except urllib.error.HTTPError as error:
            if error.code == 401 and authorization is not None:
                rejected = authorization
            # What is wrong with the request itself stays wrong.
            elif error.code < 500 and error.code != 429:
                raise RuntimeError(error.read().decode() or error.msg) from error
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(pause)
        pause = min(2 * pause, 30)


# Fills may come again after a connection that was cut.
fills = set()
live = {}
for event in stream_of("?type=order,fill"):
    kind, data = event["type"], event["data"]
    if kind == "state":
        # While a market is not live, something may be missing: place nothing that depends on it.
        live[event["exchange"], event["market"]] = data["state"] == "live"
        print(event["exchange"], event["market"], data["state"], data["reason"] or "", flush=True)
    if kind == "reset":
        print("forget what you knew:", data["why"], flush=True)
    if kind == "snapshotEnd":
        print("that was known; from here on it happens", flush=True)
    if kind == "order":
        print(data["symbol"], data["orderId"], data["status"], data["filledQuantity"], flush=True)
    if kind == "fill":
        name = (event["exchange"], event["market"], data["symbol"], data["fillId"])
        if data["fillId"] is None or name not in fills:
            print(data["symbol"], "filled", data["quantity"], flush=True)
        fills.add(name)
