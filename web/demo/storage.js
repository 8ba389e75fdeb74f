// The storage of this browser and of this tab. Where it is forbidden or full, values last until a reload.

/** @type {Map<string, string>} */
const unstored = new Map();

/** @param {"localStorage" | "sessionStorage"} area @param {string} name @returns {string | null} */
export function read(area, name) {
  try {
    return unstored.get(area + name) ?? window[area].getItem(`pickerd ${name}`);
  } catch {
    return null;
  }
}

/** @param {"localStorage" | "sessionStorage"} area @param {string} name @param {string} value */
export function write(area, name, value) {
  unstored.delete(area + name);
  try {
    window[area].setItem(`pickerd ${name}`, value);
  } catch {
    unstored.set(area + name, value);
  }
}

/** @param {"localStorage" | "sessionStorage"} area @param {string} name */
export function remove(area, name) {
  unstored.delete(area + name);
  try {
    window[area].removeItem(`pickerd ${name}`);
  } catch {
    // It was not stored.
  }
}
