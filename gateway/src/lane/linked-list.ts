/** What lets a value sit in one LinkedList at a time. Only the list writes it. */
export interface Linked<T> {
  previous: T | undefined
  next: T | undefined
}

/** A doubly linked list through its values themselves: every change takes constant time and allocates nothing. */
export class LinkedList<T extends Linked<T>> {
  #first: T | undefined
  #last: T | undefined

  get first(): T | undefined {
    return this.#first
  }

  get last(): T | undefined {
    return this.#last
  }

  append(value: T): void {
    this.insertBefore(value, undefined)
  }

  /** Puts `value` before `next`; at the end when that is undefined. */
  insertBefore(value: T, next: T | undefined): void {
    const previous = next === undefined ? this.#last : next.previous
    value.previous = previous
    value.next = next
    if (previous === undefined) this.#first = value
    else previous.next = value
    if (next === undefined) this.#last = value
    else next.previous = value
  }

  /** `value` has to be in this list. */
  remove(value: T): void {
    const { previous, next } = value
    if (previous === undefined) this.#first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    else next.previous = previous
    value.previous = undefined
    value.next = undefined
  }

  *[Symbol.iterator](): Generator<T> {
    for (let value = this.#first; value !== undefined; value = value.next) yield value
  }
}
