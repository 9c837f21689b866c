"""Stands in for ccxt where it is not installed: the ways of a call through ccxt 4.5's base class, and three calls.

fetch2 signs and fetches, again after an OperationFailed; fetch hands every response to handle_errors. Bitget's kind
of account is the option "uta"; when it is None, one call finds it out, and takes every error for a classic account.
"""

import json
import time
import urllib.error
import urllib.parse
import urllib.request


class BaseError(Exception):
    pass


class ExchangeError(BaseError):
    pass


class AuthenticationError(ExchangeError):
    pass


class PermissionDenied(AuthenticationError):
    pass


class BadRequest(ExchangeError):
    pass


class InvalidOrder(ExchangeError):
    pass


class DuplicateOrderId(InvalidOrder):
    pass


class OperationFailed(BaseError):
    pass


class NetworkError(OperationFailed):
    pass


class RateLimitExceeded(NetworkError):
    pass


class ExchangeNotAvailable(NetworkError):
    pass


class RequestTimeout(NetworkError):
    pass


class Exchange:
    id = ""
    urls = {}
    # The codes of ccxt 4.5's own tables that Sluice uses (gateway/test/doors/refusals.test.ts).
    exceptions = {}

    def __init__(self, config=None):
        self.options = {}
        self.headers = {}
        self.timeout = 10_000
        self.urls = json.loads(json.dumps(self.urls))
        for name, value in (config or {}).items():
            setattr(self, name, value)

    def handle_option_and_params(self, params, method, option, default=None):
        return [self.options.get(option, default), params]

    def fetch2(self, path, api="public", method="GET", params={}, headers=None, body=None, config={}):
        retries, params = self.handle_option_and_params(params, path, "maxRetriesOnFailure", 0)
        for attempt in range(retries + 1):
            try:
                request = self.sign(path, api, method, params, headers, body)
                return self.fetch(request["url"], request["method"], request["headers"], request["body"])
            except OperationFailed:
                if attempt == retries:
                    raise

    def request(self, path, api="public", method="GET", params={}, headers=None, body=None, config={}):
        return self.fetch2(path, api, method, params, headers, body, config)

    def fetch(self, url, method="GET", headers=None, body=None):
        question = urllib.request.Request(
            url, data=None if body is None else body.encode(), headers={**self.headers, **(headers or {})}, method=method
        )
        try:
            with urllib.request.urlopen(question, timeout=self.timeout / 1000) as response:
                status, reason, text = response.status, response.reason, response.read().decode()
        except urllib.error.HTTPError as error:
            status, reason, text = error.code, error.reason, error.read().decode()
        except TimeoutError as error:
            raise RequestTimeout(f"{self.id} {method} {url}") from error
        except OSError as error:
            raise NetworkError(f"{self.id} {method} {url}") from error
        response = json.loads(text)
        self.handle_errors(status, reason, url, method, {}, text, response, headers, body)
        return response

    def handle_errors(self, code, reason, url, method, headers, body, response, requestHeaders, requestBody):
        if code >= 400:
            kind = self.exceptions.get(str(response.get("code")), ExchangeError)
            raise kind(f"{self.id} {body}")


class mexc(Exchange):
    id = "mexc"
    urls = {"api": {"spot": "https://api.mexc.com"}}
    exceptions = {
        **{"504": RequestTimeout, "401": AuthenticationError, "403": PermissionDenied, "429": RateLimitExceeded},
        **{"503": ExchangeNotAvailable, "30029": InvalidOrder, "400": BadRequest},
    }

    def sign(self, path, api="public", method="GET", params={}, headers=None, body=None):
        stamped = params if api == "public" else {**params, "timestamp": time.time_ns(), "signature": "0" * 64}
        url = f"{self.urls['api']['spot']}/api/v3/{path}?{urllib.parse.urlencode(stamped)}"
        return {"url": url, "method": method, "headers": None, "body": body}

    def fetch_ticker(self, symbol):
        return self.request("ticker/price", "public", "GET", {"symbol": symbol.replace("/", "")})

    def fetch_balance(self):
        return self.request("account", "private")

    def create_order(self, symbol, type, side, amount, price=None, params={}):
        order = {"symbol": symbol.replace("/", ""), "side": side.upper(), "type": type.upper()}
        order.update({"quantity": str(amount), "price": str(price), **params})
        return self.request("order", "private", "POST", order)


class bitget(Exchange):
    id = "bitget"
    urls = {"api": {"spot": "https://api.bitget.com"}}
    exceptions = {
        **{"50008": RequestTimeout, "40006": AuthenticationError, "40014": PermissionDenied},
        **{"50009": RateLimitExceeded, "40604": ExchangeNotAvailable, "45113": InvalidOrder, "40017": BadRequest},
    }

    def is_uta(self):
        if self.options.get("uta") is None:
            try:
                self.request("v3/account/settings", "private")
                self.options["uta"] = True
            except Exception:
                self.options["uta"] = False
        return self.options["uta"]

    def sign(self, path, api="public", method="GET", params={}, headers=None, body=None):
        url = f"{self.urls['api']['spot']}/api/{path}"
        if method == "POST":
            return {"url": url, "method": method, "headers": {"Content-Type": "application/json"}, "body": json.dumps(params)}
        return {"url": f"{url}?{urllib.parse.urlencode(params)}", "method": method, "headers": None, "body": None}

    def fetch_ticker(self, symbol):
        name = {"symbol": symbol.replace("/", "")}
        if self.is_uta():
            return self.request("v3/market/tickers", "public", "GET", {"category": "SPOT", **name})
        return self.request("v2/spot/market/tickers", "public", "GET", name)

    def fetch_balance(self):
        return self.request("v3/account/assets" if self.is_uta() else "v2/spot/account/assets", "private")

    def create_order(self, symbol, type, side, amount, price=None, params={}):
        order = {"symbol": symbol.replace("/", ""), "side": side, "orderType": type, "price": str(price)}
        if self.is_uta():
            order.update({"category": "SPOT", "timeInForce": "gtc", "qty": str(amount), **params})
            return self.request("v3/trade/place-order", "private", "POST", order)
        order.update({"force": "gtc", "size": str(amount), **params})
        return self.request("v2/spot/trade/place-order", "private", "POST", order)
