"""deploy/cluster/compose.yaml, as far as no container engine is needed.

Its databases have the settings of deploy/cluster/patroni.yml, with which `make cluster` runs, too,
and its HAProxy deploy/haproxy.cfg, which test_proxies_cluster.py starts.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from harness.certificates import Authority
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, binary
from harness.proxies import program, substituted

DEPLOY = REPOSITORY / "deploy"
TEXT = (DEPLOY / "cluster/compose.yaml").read_text()
COMPOSE = yaml.safe_load(TEXT)
SERVICES = COMPOSE["services"]
PATRONI = yaml.safe_load((DEPLOY / "cluster/patroni.yml").read_text())
VALUES = {"POSTGRES_PASSWORD": "p1", "REPLICATION_PASSWORD": "p2",
          "PICKERD_DATABASE_PASSWORD": "p3", "PICKERD_HOST": "pick.example.org"}


def environment(service):
    """The variables of a service, as Compose sets them."""
    return {name: re.sub(r"\$\{(\w+)[^}]*\}", lambda found: VALUES[found[1]], str(value))
            for name, value in SERVICES[service]["environment"].items()}


def test_it_fits_the_specification():
    import compose_spec  # Here, because each process that runs tests imports this file.
    text = yaml.safe_dump(COMPOSE, sort_keys=False)

    assert sorted(compose_spec.PyCompose.from_yaml(text).service_names()) == sorted(SERVICES)
    with pytest.raises(ValueError):
        compose_spec.PyCompose.from_yaml(text.replace("stop_grace_period", "stop_grace_perod"))


def test_linters_have_no_objections():
    folder = Path(sys.executable).parent
    for command in ([folder / "compose-lint", "deploy/cluster/compose.yaml"],
                    [folder / "hadolint", "deploy/cluster/Dockerfile"]):
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_containers_have_no_more_rights_than_they_need():
    for name, service in SERVICES.items():
        assert service["cap_drop"] == ["ALL"] and service["read_only"] is True, name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert ("ports" in service) == (name == "haproxy"), name


def test_the_commands_at_the_top_set_every_variable():
    head = TEXT[:TEXT.index("name: pickerd-cluster")]

    assert set(re.findall(r"\$\{(\w+)", TEXT)) == set(VALUES)
    for name in VALUES:
        assert f" {name} " in head, name


def test_the_nodes_have_the_addresses_of_haproxy_cfg():
    servers = re.findall(r"server (node\d) (\S+):7681", (DEPLOY / "haproxy.cfg").read_text())

    assert servers == [(name, SERVICES[name]["networks"]["nodes"]["ipv4_address"])
                       for name in ("node1", "node2", "node3")]


def test_haproxy_accepts_its_configuration(tmp_path):
    volumes = dict(each.split(":")[1::-1] for each in SERVICES["haproxy"]["volumes"])
    path = tmp_path / "haproxy.cfg"
    path.write_text(substituted(
        (DEPLOY / "cluster" / volumes["/etc/haproxy/haproxy.cfg"]).read_text(),
        {"/etc/haproxy/pick.example.org.pem": str(Authority(tmp_path).issue().both)}))
    assert "/etc/haproxy/pick.example.org.pem" in volumes
    base = {"PATH": os.environ["PATH"]}
    for backend, status in (("cluster", 0), ("nonsense", 1)):
        done = subprocess.run(
            [program("haproxy"), "-c", "-f", path], capture_output=True, text=True,
            env={**base, **environment("haproxy"), "PICKERD_BACKEND": backend})
        assert done.returncode == status, done.stderr
    assert environment("haproxy")["PICKERD_BACKEND"] == "cluster"


def test_pickerd_accepts_the_settings_of_the_nodes(tmp_path):
    done = subprocess.run(
        [binary(), "serve", "--check"], capture_output=True, text=True, timeout=PATIENCE,
        env={"PATH": os.environ["PATH"], "STATE_DIRECTORY": str(tmp_path),
             **environment("node1")})

    assert done.returncode == 0, done.stderr
    assert "postgres://pickerd@db1,db2,db3/pickerd" in done.stdout
    assert "10.0.0.10" in done.stdout, "the address of HAProxy is a trusted proxy"
    for n in (1, 2, 3):
        address = SERVICES[f"node{n}"]["networks"]["databases"]["ipv4_address"]
        assert environment(f"node{n}")["PICKERD_NODE_LISTEN"] == f"{address}:7683"
    assert SERVICES["haproxy"]["networks"]["nodes"]["ipv4_address"] == "10.0.0.10"
    assert VALUES["PICKERD_DATABASE_PASSWORD"] not in done.stdout


def test_a_commit_waits_for_one_of_the_databases_of_the_file():
    settings = PATRONI["bootstrap"]["dcs"]
    databases = [name for name in SERVICES if name.startswith("db")]

    assert settings["synchronous_mode"] and settings["synchronous_mode_strict"]
    assert settings.get("synchronous_node_count", 1) == 1
    assert "synchronous_standby_names" not in settings["postgresql"]["parameters"]
    assert settings["loop_wait"] + 2 * settings["retry_timeout"] <= settings["ttl"]
    for name in databases:
        assert environment(name)["PATRONI_NAME"] == name
        assert not [each for each in environment(name) if "ETCD3" in each], "see compose.yaml"
        assert environment(name)["PATRONI_POSTGRESQL_CONNECT_ADDRESS"] == f"{name}:5432"
