export class Journal {
  readonly #undo: (() => void)[] = []

  record(undo: () => void): void {
    this.#undo.push(undo)
  }

  checkpoint(): number {
    return this.#undo.length
  }

  revertTo(checkpoint: number): void {
    while (this.#undo.length > checkpoint) (this.#undo.pop() as () => void)()
  }

  clear(): void {
    this.#undo.length = 0
  }
}

export function bytesKey(bytes: Uint8Array): string {
  return String.fromCharCode.apply(null, bytes as unknown as number[])
}

export function keyBytes(key: string): Uint8Array {
  const out = new Uint8Array(key.length)
  for (let i = 0; i < key.length; i++) out[i] = key.charCodeAt(i)
  return out
}
