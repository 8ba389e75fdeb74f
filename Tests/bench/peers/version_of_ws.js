// Prints the versions of what with_ws.js uses, and fails without ws.
function version(name) {
  return `${name} ${require(`${name}/package.json`).version}`;
}

function optional(name) {
  try {
    return `with ${version(name)}`;
  } catch {
    return `without ${name}`;
  }
}

console.log(version("ws"), optional("bufferutil"), `Node.js ${process.versions.node}`);
