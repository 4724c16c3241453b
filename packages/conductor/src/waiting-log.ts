/** Logs a reason for waiting only when it changes. */
export class WaitingLog {
  #last: string | null = null

  /** Ignores changes of numbers in `key`. */
  log(key: string, write: () => void): void {
    const text = key.replace(/\d+/g, '')
    if (this.#last === text) return
    this.#last = text
    write()
  }

  clear(): void {
    this.#last = null
  }
}
