import { connect } from "@pickerd/client";
import { useEffect, useReducer, useRef, useState } from "react";

/**
 * The session, which is joined while the component is mounted, and rendered again when it changes.
 * @param {string | null | undefined} session its URL, path or id; none: not yet
 * @param {import("@pickerd/client/types").Options} [options] `locale` may change; the others are those of the first render
 * @returns {import("@pickerd/client").PickerSession | null} null until it is connecting
 */
export function usePicker(session, options = {}) {
  const [picker, setPicker] = useState(null);
  const [, redraw] = useReducer((count) => count + 1, 0);
  const first = useRef(options);

  useEffect(() => {
    if (!session) return undefined;
    let isOver = false;
    const joined = connect(session, first.current);
    void joined.then((one) => { if (!isOver) setPicker(one); });
    return () => {
      isOver = true;
      setPicker(null);
      void joined.then((one) => one.stop());
    };
  }, [session]);

  useEffect(() => {
    if (!picker) return undefined;
    picker.addEventListener("change", redraw);
    // It may have changed before this.
    redraw();
    return () => picker.removeEventListener("change", redraw);
  }, [picker]);

  const { locale } = options;
  useEffect(() => {
    if (picker && locale && picker.locale !== locale) picker.setLocale(locale);
  }, [picker, locale]);

  return picker;
}
