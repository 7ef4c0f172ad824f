"""The faulty cache works, and fails as it is told."""

import http.client
import threading
import unittest

from tests.servers import test_main
from tests.servers.faulty_http import (
    ENDLESS,
    HALF_BODY,
    HANG_UP,
    NO_CONTENT,
    REDIRECT,
    STALL,
    WRONG_BYTES,
    WRONG_LENGTH,
    FaultyHttpCache,
)

_PATH = "/cas/0123"


class FaultyHttpTest(unittest.TestCase):
    def setUp(self) -> None:
        self.cache = self.enterContext(FaultyHttpCache())

    def ask(self, method: str, path: str = _PATH, body: bytes | None = None) -> tuple[int, bytes]:
        host = self.cache.url.removeprefix("http://")
        connection = http.client.HTTPConnection(host, timeout=60)
        self.addCleanup(connection.close)
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, response.read()

    def test_works(self) -> None:
        self.assertEqual(self.ask("GET")[0], 404)
        self.assertEqual(self.ask("PUT", body=b"blob")[0], 201)
        self.assertEqual(self.ask("PUT", body=b"blob")[0], 204)
        self.assertEqual(self.ask("GET"), (200, b"blob"))
        self.assertEqual(self.ask("HEAD"), (200, b""))
        self.assertEqual(self.cache.contents, {_PATH: b"blob"})
        self.assertEqual(
            [(request.method, request.status) for request in self.cache.requests()],
            [("GET", 404), ("PUT", 201), ("PUT", 204), ("GET", 200), ("HEAD", 200)],
        )
        self.cache.forget_requests()
        self.assertEqual(self.cache.requests(), [])

    def test_faults_of_what_is_there(self) -> None:
        self.cache.contents[_PATH] = b"blob"
        self.cache.fail("GET", WRONG_BYTES)
        self.assertEqual(self.ask("GET"), (200, b"bloc"))
        for fault, sent in ((HALF_BODY, b"bl"), (WRONG_LENGTH, b"blob")):
            self.cache.fail("GET", fault)
            with self.assertRaises(http.client.IncompleteRead) as raised:
                self.ask("GET")
            self.assertEqual(raised.exception.partial, sent)
        self.cache.work()
        self.assertEqual(self.ask("GET"), (200, b"blob"))

    def test_faults_of_any_answer(self) -> None:
        self.cache.fail("GET", 503)
        self.cache.fail("PUT", 507)
        self.assertEqual(self.ask("GET")[0], 503)
        self.assertEqual(self.ask("PUT", body=b"blob")[0], 507)
        self.cache.fail("GET", NO_CONTENT)
        self.assertEqual(self.ask("GET"), (204, b""))
        self.cache.fail("GET", REDIRECT)
        self.assertEqual(self.ask("GET")[0], 307)
        self.cache.fail("GET", HANG_UP)
        with self.assertRaises(http.client.RemoteDisconnected):
            self.ask("GET")
        self.assertEqual(self.cache.requests()[-1].status, 0)

    def test_a_fault_has_a_place(self) -> None:
        self.cache.contents.update({"/ac/1": b"entry", "/cas/1": b"blob"})
        self.cache.fail("GET", 500, under="/cas/")
        self.assertEqual(self.ask("GET", "/ac/1"), (200, b"entry"))
        self.assertEqual(self.ask("GET", "/cas/1")[0], 500)

    def test_a_stalled_request_can_be_released(self) -> None:
        self.cache.fail("GET", STALL)
        ends: list[BaseException] = []

        def ask() -> None:
            try:
                self.ask("GET")
            except http.client.RemoteDisconnected as error:
                ends.append(error)

        client = threading.Thread(target=ask)
        client.start()
        while not self.cache.requests():
            self.assertTrue(client.is_alive())
        while client.is_alive():
            self.cache.work()
        client.join()
        self.assertEqual(len(ends), 1)

    def test_endless(self) -> None:
        self.cache.fail("GET", ENDLESS)
        connection = http.client.HTTPConnection(self.cache.url.removeprefix("http://"), timeout=60)
        connection.request("GET", _PATH)
        response = connection.getresponse()
        self.assertEqual(len(response.read(5_000_000)), 5_000_000)
        connection.close()

    def test_authorization(self) -> None:
        with FaultyHttpCache(authorization="Bearer abc") as cache:
            connection = http.client.HTTPConnection(cache.url.removeprefix("http://"), timeout=60)
            self.addCleanup(connection.close)
            for headers, status in (({}, 401), ({"Authorization": "Bearer abc"}, 404)):
                connection.request("GET", _PATH, headers=headers)
                response = connection.getresponse()
                response.read()
                self.assertEqual(response.status, status)
            self.assertEqual(cache.requests()[1].headers["authorization"], "Bearer abc")

    def test_an_unknown_fault_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            self.cache.fail("GET", "tired")


if __name__ == "__main__":
    test_main.main()
