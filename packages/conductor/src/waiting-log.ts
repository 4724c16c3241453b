/** Logs why the conductor waits only when the reason changes. */
export class WaitingLog {
  #last: string | null = null

  /** Numbers in `key` do not count as a change. */
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
