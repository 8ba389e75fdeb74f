// An element as a component. React before 19 passes properties and events of elements only in this way.

import { createElement, forwardRef, useEffect, useImperativeHandle, useRef } from "react";

/** An attribute of several values. */
const list = (value) => (Array.isArray(value) ? value.join(",") : value);

/** An attribute without a value. */
const flag = (value) => (value ? "" : undefined);

/**
 * @param {"pickerd-availability" | "pickerd-calendar" | "pickerd-wheels"} tag
 * @param {string} name for React's tools
 */
export function componentOf(tag, name) {
  const component = forwardRef((props, ref) => {
    const {
      session, picker, memberName, labels, timeZone, zones, required, disabled, className, onChange, children, ...rest
    } = props;
    const node = useRef(null);
    const latest = useRef(onChange);
    useEffect(() => { latest.current = onChange; });

    useEffect(() => {
      if (picker !== undefined) node.current.picker = picker;
    }, [picker]);
    useEffect(() => {
      const current = node.current;
      const changed = () => latest.current?.(current.value, current);
      current.addEventListener("change", changed);
      return () => current.removeEventListener("change", changed);
    }, []);

    useImperativeHandle(ref, () => node.current, []);
    return createElement(tag, {
      ...rest, ref: node, class: className, session: picker === undefined ? session : undefined, "member-name": memberName,
      labels: list(labels), "time-zone": timeZone, zones: list(zones), required: flag(required), disabled: flag(disabled),
    }, children);
  });
  component.displayName = name;
  return component;
}
