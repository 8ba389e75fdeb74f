"""The Kubernetes manifests: valid, restricted as documented, and compatible with the server."""

import re

import pytest
import yaml

from harness.definitions import LISTS
from harness.pickerd import REPOSITORY


def objects(name):
    return list(yaml.safe_load_all((REPOSITORY / f"deploy/kubernetes/{name}.yaml").read_text()))


OBJECTS = objects("pickerd")
#: For a PostgreSQL store.
OF_DATABASE = objects("pickerd-postgres")
KINDS = {each["kind"]: each for each in OBJECTS}
KINDS_OF_DATABASE = {each["kind"]: each for each in OF_DATABASE}
POD = KINDS["StatefulSet"]["spec"]["template"]["spec"]
CONTAINER = POD["containers"][0]
LABELS = {"app.kubernetes.io/name": "pickerd"}


@pytest.mark.parametrize("object", OBJECTS + OF_DATABASE, ids=lambda each: each["kind"])
@pytest.mark.parametrize("version", ["1.30", "1.37"])
def test_the_manifests_are_valid_for_the_api(object, version):
    import kubernetes_validate  # The import takes 2 s of CPU time.

    kubernetes_validate.validate(object, version, strict=True)


def test_an_unknown_field_would_be_found():
    broken = {**KINDS["Service"], "spec": {**KINDS["Service"]["spec"], "sessionafinity": "None"}}

    import kubernetes_validate

    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, "1.37", strict=True)


def test_all_selectors_match_the_pod():
    assert KINDS["StatefulSet"]["spec"]["template"]["metadata"]["labels"] == LABELS
    assert KINDS["Service"]["spec"]["selector"] == LABELS
    for kind, field in (("StatefulSet", "selector"), ("PodDisruptionBudget", "selector"),
                        ("NetworkPolicy", "podSelector")):
        assert KINDS[kind]["spec"][field]["matchLabels"] == LABELS, kind


def test_the_pod_is_restricted():
    """The rules of the Pod Security Standard `restricted`, and a read-only root."""
    pod, container = POD["securityContext"], CONTAINER["securityContext"]

    assert pod["runAsNonRoot"] and pod["runAsUser"] >= 10_000
    assert pod["seccompProfile"]["type"] == "RuntimeDefault"
    assert container["allowPrivilegeEscalation"] is False
    assert container["capabilities"] == {"drop": ["ALL"]}
    assert container["readOnlyRootFilesystem"] is True
    assert POD["automountServiceAccountToken"] is False
    assert KINDS["NetworkPolicy"]["spec"]["egress"] == []
    assert KINDS["StatefulSet"]["spec"]["replicas"] == 1, "never a second server"


def test_the_pod_runs_as_the_user_of_the_image_and_mounts_its_volume():
    dockerfile = (REPOSITORY / "deploy/Dockerfile").read_text()

    assert f"USER {POD['securityContext']['runAsUser']}:" in dockerfile
    assert f"VOLUME {CONTAINER['volumeMounts'][0]['mountPath']}\n" in dockerfile


def test_a_server_with_these_settings_answers_the_probes(start):
    environment = {each["name"]: each["value"] for each in CONTAINER["env"]}
    ports = {port["name"]: port["containerPort"] for port in CONTAINER["ports"]}
    assert environment.pop("PICKERD_ADMIN_LISTEN") == f"0.0.0.0:{ports['admin']}"
    assert environment.pop("PICKERD_API_LISTEN") == f"0.0.0.0:{ports['api']}"
    server = start(auth=None, clock=None, listen="0.0.0.0:0", admin="0.0.0.0:0",
                   environment=environment, options=("--api-listen", "0.0.0.0:0"))

    for name in ("startupProbe", "livenessProbe", "readinessProbe"):
        probe = CONTAINER[name]["httpGet"]
        headers = {each["name"]: each["value"] for each in probe["httpHeaders"]}
        assert probe["port"] == "admin"
        assert server.get(probe["path"], headers=headers, port=server.admin_port).status == 200
    assert "unknown environment variable" not in server.log_tail()
    name, service = environment["PICKERD_HOST"].split()
    public = {"Host": name}
    assert server.request("GET", "/healthz", headers=public).status == 200
    assert server.request("GET", "/healthz", headers={"Host": "other.example"}).status == 421
    # The backend creates sessions at the Service, and members use the public name.
    assert KINDS["Service"]["metadata"]["name"] == service
    create = ("POST", "/v1/sessions", {"definition": LISTS})
    assert server.request(*create, headers=public).code == "notFound"
    made = server.request(
        *create, headers={"Host": f"{service}:{ports['api']}"}, port=server.api_port)
    assert made.json["socket"].startswith(f"wss://{name}/v1/sessions/")
    rules = {rule["ports"][0]["port"] for rule in KINDS["NetworkPolicy"]["spec"]["ingress"]}
    assert rules == {port["name"] for port in CONTAINER["ports"]}


def test_the_grace_period_covers_preStop_and_the_end_of_the_server():
    seconds = int(CONTAINER["lifecycle"]["preStop"]["exec"]["command"][1])

    assert seconds + 10 < POD["terminationGracePeriodSeconds"]
    unit = (REPOSITORY / "deploy/pickerd.service").read_text()
    assert int(re.search(r"TimeoutStopSec=(\d+)s", unit)[1]) > 10


def test_with_a_database_there_are_three_servers_of_which_two_always_serve():
    deployment = KINDS_OF_DATABASE["Deployment"]["spec"]

    assert deployment["replicas"] == 3
    assert deployment["strategy"] == {
        "type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}
    assert KINDS_OF_DATABASE["PodDisruptionBudget"]["spec"]["maxUnavailable"] == 1
    assert deployment["selector"]["matchLabels"] == LABELS
    assert deployment["template"]["metadata"]["labels"] == LABELS


def test_with_a_database_the_pods_have_the_same_sandbox_and_no_volume():
    pod = KINDS_OF_DATABASE["Deployment"]["spec"]["template"]["spec"]
    container = pod["containers"][0]

    assert container["securityContext"] == CONTAINER["securityContext"]
    assert pod["securityContext"] == {
        name: value for name, value in POD["securityContext"].items() if "fsGroup" not in name}
    assert "volumeMounts" not in container
    for name in ("startupProbe", "livenessProbe", "readinessProbe", "lifecycle", "resources"):
        assert container[name] == CONTAINER[name]


def test_with_a_database_the_password_is_a_secret_and_the_other_settings_are_equal():
    container = KINDS_OF_DATABASE["Deployment"]["spec"]["template"]["spec"]["containers"][0]
    environment = {each["name"]: each for each in container["env"]}

    assert environment.pop("PICKERD_STORE")["value"].startswith("postgres://pickerd@")
    assert "secretKeyRef" in environment.pop("PGPASSWORD")["valueFrom"]
    assert environment.pop("POD_IP")["valueFrom"] == {"fieldRef": {"fieldPath": "status.podIP"}}
    assert environment.pop("PICKERD_NODE_LISTEN")["value"] == "$(POD_IP):7683"
    assert environment == {each["name"]: each for each in CONTAINER["env"]}
    ports = [port["port"] for rule in KINDS_OF_DATABASE["NetworkPolicy"]["spec"]["egress"]
             for port in rule["ports"]]
    assert ports == ["nodes", 53, 53, 5432]


def test_both_manifests_have_equal_services_and_ingresses():
    for kind in ("Service", "ServiceAccount", "PodDisruptionBudget"):
        assert KINDS[kind] == KINDS_OF_DATABASE[kind]
    assert KINDS["Ingress"]["spec"] == KINDS_OF_DATABASE["Ingress"]["spec"]


def test_with_a_database_the_ingress_sends_an_address_to_the_same_pod():
    """A session is fastest if its members are at one pod."""
    shared, own = (dict(kinds["Ingress"]["metadata"]["annotations"])
                   for kinds in (KINDS, KINDS_OF_DATABASE))

    assert own.pop("nginx.ingress.kubernetes.io/upstream-hash-by") == "$remote_addr"
    assert own == shared
