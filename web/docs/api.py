"""The OpenAPI and AsyncAPI documents as pages."""

import json
import re

from documents import REPOSITORY, Page, slug

HTTP = json.loads((REPOSITORY / "web/client/api/openapi.json").read_text())
SOCKET = json.loads((REPOSITORY / "web/client/api/asyncapi.json").read_text())
#: The requests of a page, by a pattern of their paths; the first that matches counts.
GROUPS = {
    "Sessions": r"/v1/sessions($|/by/|/\{id\}$|/\{id\}/log$)",
    "Definition and notes": r"/v1/sessions/\{id\}/(definition|notes)$",
    "Members and commands": r"/v1/sessions/\{id\}/(members|commands)$",
    "Reading": r"/v1/sessions/\{id\}/(event\.ics|months|events|tickets)",
    "The host": r"/v1/sessions/\{id\}/",
    "Shared definitions": r"/v1/definitions",
    "The feed": r"/v1/feed",
    "The server": r"/",
}


def sentence(text):
    """A description in a cell of a table."""
    return " ".join((text or "").replace("|", "\\|").replace("<", "&lt;").split())


def meaning(is_required, description, limits):
    return "; ".join(filter(None, ("required" if is_required else "", sentence(description).rstrip("."), limits)))


def resolved(one, document):
    """A part of a document, or the one that it refers to; the AsyncAPI document refers to the other one, too."""
    while "$ref" in one:
        *parents, name = one["$ref"].split("#/")[1].split("/")
        for target in (document, HTTP):
            for parent in parents:
                target = target[parent]
            if name in target:
                break
        one = target[name]
    return one


class Fields:
    """Tables of the fields of schemas, with links to the schemas that have names."""

    def __init__(self, document):
        self.document, self.components = document, document["components"]

    def named(self, reference):
        return reference.rsplit("/", 1)[1]

    def type(self, schema):
        """The type of a value, as a word or a link."""
        if schema in (True, False):
            return "any" if schema else "none"
        if "$ref" in schema:
            name = self.named(schema["$ref"])
            # The AsyncAPI document has the schemas that the OpenAPI document does not have.
            page = "schemas.md" if name in self.components["schemas"] else "../http/schemas.md"
            return f"[{name}]({page}#{slug(name)})"
        if "const" in schema:
            return f"`{json.dumps(schema['const'])}`"
        if "enum" in schema:
            return ", ".join(f"`{json.dumps(one)}`" for one in schema["enum"])
        for choice in ("oneOf", "anyOf"):
            if choice in schema:
                return " or ".join(dict.fromkeys(self.type(one) for one in schema[choice]))
        if "allOf" in schema:
            return " and ".join(dict.fromkeys(self.type(one) for one in schema["allOf"]))
        kinds = schema.get("type", "any")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        if "array" in kinds and "items" in schema and isinstance(schema["items"], dict):
            kinds = [f"list of {self.type(schema['items'])}" if kind == "array" else kind for kind in kinds]
        return " or ".join(kinds)

    def limits(self, schema):
        low, high = schema.get("minimum"), schema.get("maximum")
        found = [f"{low}…{high}" if None not in (low, high) else f"at least {low}" if high is None else f"at most {high}"] \
            if (low, high) != (None, None) else []
        for name, text in (("maxLength", "at most {} characters"), ("maxItems", "at most {}"),
                           ("default", "default `{}`")):
            if name in schema:
                value = schema[name]
                found.append(text.format(json.dumps(value) if name == "default" else value))
        return "; ".join(found)

    def rows(self, schema, prefix=""):
        required = schema.get("required", ())
        for name, field in schema.get("properties", {}).items():
            if field is False:
                continue
            field = {} if field is True else field
            about = meaning(name in required, field.get("description"), self.limits(field))
            yield f"| `{prefix}{name}` | {self.type(field)} | {about} |"
            inner = field.get("items", field) if isinstance(field.get("items", field), dict) else field
            if "properties" in inner:
                yield from self.rows(inner, f"{prefix}{name}{'[]' if inner is not field else ''}.")
        for other in schema.get("allOf", ()):
            yield from self.rows(resolved(other, self.document), prefix)

    def table(self, schema):
        schema = resolved(schema, self.document)
        rows = list(self.rows(schema))
        if rows:
            return ["| field | type | meaning |", "|---|---|---|", *rows, ""]
        return [f"Type: {self.type(schema)}.", ""]

    def page(self, address, title, about):
        lines = [f"# {title}", "", about, ""]
        for name, schema in self.components["schemas"].items():
            lines += [f"## `{name}`", ""]
            if "description" in schema:
                lines += [sentence(schema["description"]), ""]
            lines += self.table(schema)
            if limits := self.limits(schema):
                lines += [f"{limits}.", ""]
            if examples := [one for one in schema.get("examples", ()) if len(json.dumps(one)) < 400]:
                lines += ["```json", *(json.dumps(one, ensure_ascii=False) for one in examples[:2]), "```", ""]
        return Page(address, title, "\n".join(lines))


def request(fields, method, path, operation, common):
    """The lines about a request."""
    lines = [f"## `{method.upper()} {path}`", "", sentence(operation.get("summary")), ""]
    if "description" in operation:
        lines += [sentence(operation["description"]), ""]
    parameters = [resolved(one, HTTP) for one in (*common, *operation.get("parameters", ()))]
    if parameters:
        lines += ["| parameter | in | type | meaning |", "|---|---|---|---|"]
        for one in parameters:
            schema = one.get("schema", {})
            about = meaning(one.get("required"), one.get("description", schema.get("description")), fields.limits(schema))
            lines.append(f"| `{one['name']}` | {one['in']} | {fields.type(schema)} | {about} |")
        lines.append("")
    body = resolved(operation.get("requestBody", {}), HTTP)
    for kind, content in body.get("content", {}).items():
        lines += [f"The body, `{kind}`:", "", *fields.table(content.get("schema", {}))]
    lines += ["| status | answer | form |", "|---|---|---|"]
    for status, answer in operation["responses"].items():
        answer = resolved(answer, HTTP)
        forms = "; ".join(f"`{kind}`" + (f" {fields.type(content['schema'])}" if content.get("schema") else "")
                          for kind, content in answer.get("content", {}).items())
        lines.append(f"| {status} | {sentence(answer.get('description'))} | {forms} |")
    return [*lines, ""]


def http_pages():
    fields = Fields(HTTP)
    texts = {name: [] for name in GROUPS}
    for path, item in HTTP["paths"].items():
        name = next(name for name, pattern in GROUPS.items() if re.match(pattern, path))
        for method, operation in item.items():
            if method in ("get", "post", "put", "patch", "delete"):
                texts[name] += request(fields, method, path, operation, item.get("parameters", ()))
    pages = [Page(f"http/{slug(name)}.md", name, "\n".join([f"# {name} over HTTP", "", *lines]))
             for name, lines in texts.items()]
    schemas = fields.page("http/schemas.md", "Schemas", "The bodies of requests and answers, as JSON.")
    names = "\n".join(f"- [{page.title}]({page.address.split('/')[1]})" for page in [*pages, schemas])
    about = Page("http/index.md", "All requests", f"# The HTTP API\n\n{HTTP['info']['description']}\n\n{names}\n\n"
                 "Made from `/v1/openapi.json`, which every server has.")
    return [about, *pages, schemas]


def socket_pages():
    fields = Fields(SOCKET)
    pages = []
    for side, title in (("client", "A client sends"), ("server", "The server sends")):
        lines = [f"# {title}", ""]
        for name, message in SOCKET["components"]["messages"].items():
            if name.startswith(side):
                schema = resolved(message["payload"]["schema"], SOCKET)
                lines += [f"## `{message['name']}`", "", sentence(schema.get("description") or message.get("summary")), "",
                          *fields.table(schema)]
        pages.append(Page(f"websocket/{side}.md", title, "\n".join(lines)))
    codes = [f"| {code} | {sentence(about if isinstance(about, str) else about.get('description', ''))} |"
             for code, about in SOCKET["x-closeCodes"].items()]
    about = Page("websocket/index.md", "The connection", "\n".join([
        "# The WebSocket", "", SOCKET["info"]["description"], "",
        f"The address is `{SOCKET['channels']['session']['address']}`, the subprotocol `pickerd.v1`.", "",
        "## Close codes", "", "| code | meaning |", "|---|---|", *codes, "",
        "Made from `/v1/asyncapi.json`, which every server has."]))
    schemas = fields.page("websocket/schemas.md", "Parts of messages", "What messages have in them, as JSON.")
    return [about, *pages, schemas]
