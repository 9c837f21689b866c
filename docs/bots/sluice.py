import asyncio
import inspect
import json
import os
import re
import threading
import time
import urllib.error
import urllib.request
import uuid

SLUICE = os.environ.get("SLUICE_URL", "https://sluice.example")
_token, _ends_at = "", 0.0
_lock = threading.Lock()


def bearer(rejected=None) -> str:
    """The Authorization header, with a token that is valid for at least another minute.

    rejected: a header that the gateway rejected with 401; its token is replaced.
    """
    global _token, _ends_at
    # Calls that begin at the same time share one new token.
    with _lock:
        if _ends_at - time.time() < 60 or rejected == f"Bearer {_token}":
            credentials = {
                "clientId": os.environ["SLUICE_CLIENT_ID"],
                "clientSecret": os.environ["SLUICE_CLIENT_SECRET"],
            }
            request = urllib.request.Request(
                f"{SLUICE}/auth/token",
                data=json.dumps(credentials).encode(),
                headers={"Content-Type": "application/json"},
            )
            try:
                with urllib.request.urlopen(request, timeout=30) as response:
                    body = json.load(response)
            except urllib.error.HTTPError as error:
                # The text says why, which the status alone does not.
                error.text = error.read().decode()
                error.msg = f"{error.reason}: {error.text}"
                raise
            _token, _ends_at = body["token"], time.time() + body["expiresInSeconds"]
        return f"Bearer {_token}"


def via_sluice(exchange_class, family, settings=None):
    """ccxt.mexc with "mx", or ccxt.bitget with "bg"; ccxt.async_support.mexc and bitget too."""
    import ccxt

    def with_sluice(error, sluice):
        """The error with what Sluice says of it: retryable and outcome decide what to do."""
        error.sluice, error.outcome, error.retryable = sluice, sluice.get("outcome"), sluice.get("retryable")
        return error

    def with_token(headers, rejected=None):
        try:
            return {**(headers or {}), "Authorization": bearer(rejected)}
        except urllib.error.HTTPError as error:
            kind = ccxt.AuthenticationError if error.code < 429 else ccxt.NetworkError
            sluice = json.loads(error.text) if error.text.startswith("{") else {}
            raise with_sluice(kind(f"No token: {error.text}"), sluice) from error
        except OSError as error:
            raise ccxt.NetworkError(f"No token: {error}") from error

    class ViaSluice(exchange_class):
        # The key of your own attempts is params["idempotencyKey"]; those that ccxt makes get one here. Another
        # call has none: Sluice then knows that it repeats an order whose outcome is unknown.
        def fetch2(self, path, api="public", method="GET", params={}, headers=None, body=None, config={}):
            retries, _ = self.handle_option_and_params(params, path, "maxRetriesOnFailure", 0)
            key = str(uuid.uuid4()) if retries > 0 else None
            if "idempotencyKey" in params:
                params = dict(params)
                key = params.pop("idempotencyKey")
            if key is not None:
                headers = {**(headers or {}), "Idempotency-Key": key}
            return super().fetch2(path, api, method, params, headers, body, config)

        def sign(self, path, api="public", method="GET", params={}, headers=None, body=None):
            signed = super().sign(path, api, method, params, None, body)
            return {**signed, "headers": {**(signed["headers"] or {}), **(headers or {})}}

        def fetch(self, url, method="GET", headers=None, body=None):
            ours = with_token(headers)
            try:
                return super().fetch(url, method, ours, body)
            except ccxt.AuthenticationError as error:
                again = self.renewed(error, ours)
            return super().fetch(url, method, again, body)

        async def fetch_async(self, url, method="GET", headers=None, body=None):
            ours = await asyncio.to_thread(with_token, headers)
            try:
                return await super().fetch(url, method, ours, body)
            except ccxt.AuthenticationError as error:
                again = await asyncio.to_thread(self.renewed, error, ours)
            return await super().fetch(url, method, again, body)

        if inspect.iscoroutinefunction(exchange_class.fetch):
            fetch = fetch_async

        def renewed(self, error, headers):
            """The token was revoked: the same headers, with the same key, and a new token."""
            if getattr(error, "sluice", {}).get("statusCode") != 401:
                raise error
            return with_token(headers, headers["Authorization"])

        def handle_errors(self, status, reason, url, method, headers, body, response, *rest):
            content = response if isinstance(response, dict) else {}
            # Bitget says of which kind the account is, classic or unified: the next call is made for that.
            if content.get("code") in ("40084", "40085"):
                self.options["uta"] = content["code"] == "40085"
            try:
                return super().handle_errors(status, reason, url, method, headers, body, response, *rest)
            except ccxt.BaseError as error:
                if "sluice" not in content:
                    raise
                # ccxt's tables give no code of an exchange this class.
                pending = content["sluice"]["code"] == "OUTCOME_PENDING"
                shown = ccxt.DuplicateOrderId(str(error)) if pending else error
                raise with_sluice(shown, content["sluice"]) from None

    exchange = ViaSluice({
        # Placeholders: Sluice removes their signature and signs with the stored keys.
        "apiKey": "via-sluice",
        "secret": "via-sluice",
        "password": "via-sluice",
        # Sluice limits the rate; an order may wait in the queue for up to 180 s.
        "enableRateLimit": False,
        "timeout": 200_000,
        **(settings or {}),
    })
    # Every address: the token must not go anywhere else.
    addresses = json.dumps(exchange.urls["api"])
    exchange.urls["api"] = json.loads(re.sub(r'https://[^/"]+', f"{SLUICE}/{family}", addresses))
    return exchange
