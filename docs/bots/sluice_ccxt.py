import json
import re
import urllib.error
import uuid

import ccxt

from sluice_token import SLUICE, bearer


class TokenRejected(ccxt.AuthenticationError):
    pass


def error_of(error):
    """Maps an error of Sluice to one of ccxt. Retry a NetworkError with the same key; after a RequestTimeout the order may exist."""
    status = error["statusCode"]
    if status == 401:
        return TokenRejected
    if status == 403:
        return ccxt.PermissionDenied
    if status == 429:
        return ccxt.RateLimitExceeded
    if status < 500:
        return ccxt.BadRequest
    if error.get("outcome") == "unknown":
        return ccxt.RequestTimeout
    return ccxt.ExchangeError if error.get("retryable") is False else ccxt.ExchangeNotAvailable


def token_header(rejected):
    try:
        return bearer(rejected)
    except urllib.error.HTTPError as error:
        kind = ccxt.AuthenticationError if error.code < 429 else ccxt.NetworkError
        raise kind(f"No token: {error}") from error
    except OSError as error:
        raise ccxt.NetworkError(f"No token: {error}") from error


def via_sluice(exchange_class, family, settings=None):
    """ccxt.mexc with "mx", or ccxt.bitget with "bg"."""

    class ViaSluice(exchange_class):
        # One key per call, kept when ccxt retries it. To retry by yourself, set params["idempotencyKey"].
        def fetch2(self, path, api="public", method="GET", params={}, headers=None, body=None, config={}):
            key = str(uuid.uuid4())
            if "idempotencyKey" in params:
                params = dict(params)
                key = params.pop("idempotencyKey")
            headers = {**(headers or {}), "Idempotency-Key": key}
            return super().fetch2(path, api, method, params, headers, body, config)

        def sign(self, path, api="public", method="GET", params={}, headers=None, body=None):
            signed = super().sign(path, api, method, params, None, body)
            return {**signed, "headers": {**(signed["headers"] or {}), **(headers or {})}}

        def fetch(self, url, method="GET", headers=None, body=None, rejected=None):
            authorization = token_header(rejected)
            ours = {**(headers or {}), "Authorization": authorization}
            try:
                return super().fetch(url, method, ours, body)
            except TokenRejected:
                # The token was revoked: try once more with a new token and the same key.
                if rejected is not None:
                    raise
                return self.fetch(url, method, headers, body, authorization)

        def handle_errors(self, status, reason, url, method, headers, body, response, *rest):
            if isinstance(response, dict) and "sluice" in response:
                raise error_of(response["sluice"])(f"{self.id} {body}")
            # Bitget says of which kind the account is, classic or unified: the next call is made for that.
            if isinstance(response, dict) and response.get("code") in ("40084", "40085"):
                self.options["uta"] = response["code"] == "40085"
            return super().handle_errors(status, reason, url, method, headers, body, response, *rest)

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
