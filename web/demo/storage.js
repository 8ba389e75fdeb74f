// The storage of this browser and of this tab. Where it is forbidden or full, values last until a reload.

/** @type {Map<string, string>} */
const unstored = new Map();

/** @param {"localStorage" | "sessionStorage"} area @param {string} name @returns {string | null} */
export function read(area, name) {
  try {
    return unstored.get(name) ?? window[area].getItem(`pickerd ${name}`);
  } catch {
    return null;
  }
}

/** @param {"localStorage" | "sessionStorage"} area @param {string} name @param {string} value */
export function write(area, name, value) {
  unstored.delete(name);
  try {
    window[area].setItem(`pickerd ${name}`, value);
  } catch {
    unstored.set(name, value);
  }
}
