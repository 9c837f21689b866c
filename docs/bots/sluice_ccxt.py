import json
import re
import urllib.error
import uuid

import ccxt

from sluice_token import SLUICE, bearer


class TokenRefused(ccxt.AuthenticationError):
    pass


def error_of(answer):
    """Sluice's own error as one of ccxt. NetworkErrors may be sent again; after RequestTimeout an order may stand."""
    status = answer["statusCode"]
    if status == 401:
        return TokenRefused
    if status == 403:
        return ccxt.PermissionDenied
    if status == 429:
        return ccxt.RateLimitExceeded
    if status < 500:
        return ccxt.BadRequest
    if answer.get("outcome") == "unknown":
        return ccxt.RequestTimeout
    return ccxt.ExchangeError if answer.get("retryable") is False else ccxt.ExchangeNotAvailable


def token_header(refused):
    try:
        return bearer(refused)
    except urllib.error.HTTPError as error:
        kind = ccxt.AuthenticationError if error.code < 429 else ccxt.NetworkError
        raise kind(f"No token: {error}") from error
    except OSError as error:
        raise ccxt.NetworkError(f"No token: {error}") from error


def via_sluice(exchange_class, family, settings=None):
    """ccxt.mexc with "mx", or ccxt.bitget with "bg"."""

    class ViaSluice(exchange_class):
        # One key for each call, kept when ccxt sends it again. Your own, to try again yourself: params["idempotencyKey"].
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

        def fetch(self, url, method="GET", headers=None, body=None, refused=None):
            authorization = token_header(refused)
            ours = {**(headers or {}), "Authorization": authorization}
            try:
                return super().fetch(url, method, ours, body)
            except TokenRefused:
                # Withdrawn before its time: once more with a new one, the same key and all.
                if refused is not None:
                    raise
                return self.fetch(url, method, headers, body, authorization)

        def handle_errors(self, status, reason, url, method, headers, body, response, *rest):
            if isinstance(response, dict) and "requestId" in response and response.get("statusCode") == status:
                raise error_of(response)(f"{self.id} {body}")
            return super().handle_errors(status, reason, url, method, headers, body, response, *rest)

    exchange = ViaSluice({
        # Placeholders: Sluice takes away what they sign, and signs with the stored keys.
        "apiKey": "via-sluice",
        "secret": "via-sluice",
        "password": "via-sluice",
        # Sluice keeps the pace; an order may wait up to 180 s for its turn.
        "enableRateLimit": False,
        "timeout": 200_000,
        **(settings or {}),
    })
    # Every address, so that the token goes nowhere else.
    addresses = json.dumps(exchange.urls["api"])
    exchange.urls["api"] = json.loads(re.sub(r'https://[^/"]+', f"{SLUICE}/{family}", addresses))
    return exchange
