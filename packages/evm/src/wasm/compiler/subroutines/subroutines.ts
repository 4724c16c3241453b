import { FunctionBody } from '../encoding/function-body.ts'
import { ValueType } from '../encoding/instructions.ts'
import type { ModuleWriter, Signature } from '../encoding/module-writer.ts'
import { LocalPool } from '../values/local-pool.ts'
import { ValueWriter } from '../values/value-writer.ts'
import { writeCallDataAddress } from './call-data.ts'
import { writeMultiply } from './multiply.ts'
import { writeShiftLeft, writeShiftRight, writeShiftRightSigned } from './shifts.ts'

const { i32, i64 } = ValueType
const UNBOUNDED = Number.MAX_SAFE_INTEGER
const WORD = [i64, i64, i64, i64]

interface Subroutine {
  readonly signature: Signature
  readonly write: (w: ValueWriter) => void
}

const SHIFT: Signature = { parameters: [i64, ...WORD], results: WORD }

const SUBROUTINES = {
  multiply: { signature: { parameters: [...WORD, ...WORD], results: WORD }, write: writeMultiply },
  shiftLeft: { signature: SHIFT, write: writeShiftLeft },
  shiftRight: { signature: SHIFT, write: writeShiftRight },
  shiftRightSigned: { signature: SHIFT, write: writeShiftRightSigned },
  callDataAddress: { signature: { parameters: [i32, i32, i32], results: [i32] }, write: writeCallDataAddress },
} as const satisfies Record<string, Subroutine>

export type SubroutineName = keyof typeof SUBROUTINES

/** In order of first use, after the compiled function. */
export class Subroutines {
  private readonly used: SubroutineName[] = []

  constructor(private readonly firstIndex: number) {}

  indexOf(name: SubroutineName): number {
    const known = this.used.indexOf(name)
    return this.firstIndex + (known >= 0 ? known : this.used.push(name) - 1)
  }

  addTo(module: ModuleWriter): void {
    for (const name of this.used) {
      const { signature, write } = SUBROUTINES[name]
      const pool = new LocalPool(signature.parameters.length, UNBOUNDED)
      const body = new FunctionBody()
      write(new ValueWriter(body, pool))
      module.addFunction(signature, body.finish(pool.declarations()))
    }
  }
}
