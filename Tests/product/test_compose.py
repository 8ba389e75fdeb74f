"""deploy/compose.yaml, as far as no container engine is needed: its containers' programs with its
settings on loopback, Caddy with its own authority, pickerd behind it."""

import http.client
import os
import re
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from harness.definitions import LISTS
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, binary
from harness.proxies import ProxiedPickerd, program, redirect

DEPLOY = REPOSITORY / "deploy"
TEXT = (DEPLOY / "compose.yaml").read_text()
COMPOSE = yaml.safe_load(TEXT)
SERVICES = COMPOSE["services"]


def environment(service, domain="pick.example.org"):
    """The variables of a service, as Compose sets them."""
    return {name: re.sub(r"\$\{DOMAIN[^}]*\}", domain, str(value))
            for name, value in SERVICES[service]["environment"].items()}


def test_it_fits_the_specification():
    import compose_spec  # Here, because each process that runs tests imports this file.
    text = yaml.safe_dump(COMPOSE, sort_keys=False)

    assert sorted(compose_spec.PyCompose.from_yaml(text).service_names()) == ["caddy", "pickerd"]
    with pytest.raises(ValueError):
        compose_spec.PyCompose.from_yaml(text.replace("stop_grace_period", "stop_grace_perod"))


def test_the_linter_has_no_objections():
    done = subprocess.run([Path(sys.executable).parent / "compose-lint", "deploy/compose.yaml"],
                          cwd=REPOSITORY, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr


def test_one_command_with_the_name_is_enough():
    assert set(re.findall(r"\$\{(\w+)", TEXT)) == {"DOMAIN"}
    assert re.search(r"^#   DOMAIN=\S+ docker compose up --build --detach$", TEXT, re.M)
    for service in SERVICES.values():
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert source in COMPOSE["volumes"] or (DEPLOY / source).is_file(), source
    build = SERVICES["pickerd"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).samefile(DEPLOY / "Dockerfile")


def test_containers_have_no_more_rights_than_they_need():
    for name, service in SERVICES.items():
        assert service["cap_drop"] == ["ALL"] and service["read_only"] is True, name
        assert "no-new-privileges:true" in service["security_opt"], name
    assert SERVICES["caddy"]["cap_add"] == ["NET_BIND_SERVICE"]
    assert "cap_add" not in SERVICES["pickerd"] and "ports" not in SERVICES["pickerd"]
    assert SERVICES["pickerd"]["volumes"] == ["sessions:/var/lib/pickerd"]


def test_caddy_waits_for_the_health_check_of_the_image():
    assert SERVICES["caddy"]["depends_on"] == {"pickerd": {"condition": "service_healthy"}}
    assert "HEALTHCHECK" in (DEPLOY / "Dockerfile").read_text()


def test_pickerd_accepts_its_settings_and_trusts_the_address_of_caddy(tmp_path):
    done = subprocess.run(
        [binary(), "serve", "--check"], capture_output=True, text=True, timeout=PATIENCE,
        env={"PATH": os.environ["PATH"], "STATE_DIRECTORY": str(tmp_path),
             **environment("pickerd")})

    assert done.returncode == 0, done.stderr
    assert "pick.example.org" in done.stdout
    address = SERVICES["caddy"]["networks"]["site"]["ipv4_address"]
    assert environment("pickerd")["PICKERD_TRUSTED_PROXY"] == address


def test_caddy_accepts_its_configuration(tmp_path):
    def validated(**changed):
        return subprocess.run(
            [program("caddy"), "validate", "--adapter", "caddyfile", "--config",
             DEPLOY / "Caddyfile"], capture_output=True, text=True, timeout=PATIENCE,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **environment("caddy"),
                 **changed})

    assert validated().returncode == 0, validated().stderr
    assert validated(PICKERD="http://pickerd:7681/path").returncode == 1


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site of the file with the name localhost, and ports and addresses of this machine."""
    folder = tmp_path_factory.mktemp("site")
    settings = environment("pickerd", "localhost") | {"PICKERD_TRUSTED_PROXY": "127.0.0.1"}
    site = ProxiedPickerd(
        folder / "log", "caddy", folder, clock=None, environment=settings,
        options=("--store", f"sqlite:{folder}/store.sqlite", "--web", str(REPOSITORY / "web")))
    assert set(site.proxy.environment) == set(environment("caddy"))
    assert site.proxy.environment["DOMAIN"] == environment("caddy", "localhost")["DOMAIN"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", lambda: site.proxy.member_context)
        yield site
    site.stop()


def test_caddys_certificate_is_for_the_name(site):
    page = site.get("/")

    assert page.status == 200 and b"<html" in page.body
    assert page.headers["strict-transport-security"] == "max-age=31536000"
    assert redirect(site.proxy) == (308, "https://localhost/x")


def test_members_choose_together_over_websockets_with_tls(site):
    session = site.session(LISTS, now=None)
    ana, bo = session.join("Ana"), session.join("Bo")

    ana.select(0, 1)
    bo.reach(1)
    bo.select(1, 2)
    ana.reach(2)

    session.agree()
    created = site.create(LISTS)
    assert created.json["socket"] == site.socket(f"/v1/sessions/{created.json['session']}")


def test_another_name_gets_no_answer_of_pickerd(site):
    connection = http.client.HTTPSConnection(
        "localhost", site.proxy.port, timeout=PATIENCE, context=site.proxy.context)
    connection.request("GET", "/healthz", headers={"Host": "rebound.example"})

    assert connection.getresponse().read() == b""
    connection.close()
