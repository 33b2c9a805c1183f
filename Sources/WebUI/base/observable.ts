import { useSyncExternalStore } from "react";

/** Something that screens look at. Its version grows with each change. */
export class Observable {
  #version = 0;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly version = (): number => this.#version;

  /** Whether a screen looks at it. */
  get isShown(): boolean {
    return this.#listeners.size > 0;
  }

  protected changed(): void {
    this.#version += 1;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Shows the component again whenever the object changes. */
export function useObservable<T extends Observable>(object: T): T {
  useSyncExternalStore(object.subscribe, object.version);
  return object;
}

/** Shows the component again whenever any of the objects changes. */
export function useAll(objects: Observable[]): void {
  useSyncExternalStore(
    (listener) => {
      const stops = objects.map((object) => object.subscribe(listener));
      return () => stops.forEach((stop) => stop());
    },
    () => objects.reduce((sum, object) => sum + object.version(), 0),
  );
}

/** A single value that screens look at. */
export class Value<T> extends Observable {
  #value: T;

  constructor(value: T) {
    super();
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set value(value: T) {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    this.changed();
  }
}

export function useValue<T>(value: Value<T>): T {
  return useObservable(value).value;
}
