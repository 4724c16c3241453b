export interface JumpAnalysis {
  readonly jumps: Uint8Array
  readonly pushes: (bigint | undefined)[]
}

const MAX_KEPT_CODE_BYTES = 1_000_000
const JUMPDEST = 0x5b
const PUSH1 = 0x60
const PUSH32 = 0x7f

export class JumpAnalyses {
  readonly #kept = new Map<Uint8Array, JumpAnalysis>()
  #keptBytes = 0

  find(code: Uint8Array): JumpAnalysis | null {
    return this.#kept.get(code) ?? null
  }

  get(code: Uint8Array): JumpAnalysis {
    const known = this.#kept.get(code)
    if (known !== undefined) {
      this.#kept.delete(code)
      this.#kept.set(code, known)
      return known
    }
    const analysis = { jumps: findJumpDestinations(code), pushes: new Array<bigint | undefined>(code.length) }
    this.#kept.set(code, analysis)
    this.#keptBytes += code.length
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes <= MAX_KEPT_CODE_BYTES || oldest === code) break
      this.#kept.delete(oldest)
      this.#keptBytes -= oldest.length
    }
    return analysis
  }
}

function findJumpDestinations(code: Uint8Array): Uint8Array {
  const jumps = new Uint8Array(code.length)
  for (let at = 0; at < code.length; at++) {
    const opcode = code[at] as number
    if (opcode === JUMPDEST) jumps[at] = 1
    else if (opcode >= PUSH1 && opcode <= PUSH32) at += opcode - PUSH1 + 1
  }
  return jumps
}
