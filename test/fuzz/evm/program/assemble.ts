import { hexToBytes } from '@keelson/primitives'
import { type Opcode, opcodeNamed } from './opcodes.ts'
import type { CreateExpr, Expr, Program, Statement } from './program.ts'

const PUSH1 = 0x60
const PUSH2 = 0x61
const [STOP, SUB, LT] = [0x00, 0x03, 0x10]
const [CODECOPY, POP, JUMP, JUMPI, PC, GAS, JUMPDEST] = [0x39, 0x50, 0x56, 0x57, 0x58, 0x5a, 0x5b]
const [DUP1, SWAP1, ISZERO, RETURN] = [0x80, 0x90, 0x15, 0xf3]
const MAX_PUSH_BYTES = 32

/** Places `data` after the code and fills in references at the end. */
class Assembler {
  readonly #code: number[] = []
  readonly #data: { readonly bytes: Uint8Array; readonly at: number }[] = []

  finish(): Uint8Array {
    if (this.#data.length === 0) return Uint8Array.from(this.#code)
    this.#code.push(STOP)
    let end = this.#code.length
    for (const { bytes, at } of this.#data) {
      this.#setPush2(at, end)
      end += bytes.length
    }
    const out = new Uint8Array(end)
    out.set(this.#code)
    end = this.#code.length
    for (const { bytes } of this.#data) {
      out.set(bytes, end)
      end += bytes.length
    }
    return out
  }

  program(program: Program): void {
    for (const statement of program) this.#statement(statement)
  }

  #statement(statement: Statement): void {
    switch (statement.do) {
      case 'run':
        this.#run(statement.expr)
        break
      case 'loop':
        this.#loop(statement.times, statement.body)
        break
      case 'while-gas':
        this.#whileGas(statement.above, statement.body)
        break
      case 'if':
        this.#if(statement.when, statement.body)
        break
      case 'deep':
        this.#deep(statement.items, statement.body)
        break
      case 'mix':
        this.#mix(statement.operands, statement.opcodes.map(opcodeNamed))
        break
      case 'data':
        this.#copy(hexToBytes(statement.bytes), () => this.#push(statement.to))
        break
      case 'deploy':
        this.#deploy(assemble(statement.runtime))
        break
      case 'raw':
        this.#code.push(...hexToBytes(statement.bytes))
    }
  }

  #deep(items: number, body: Program): void {
    for (let i = 0; i < items; i++) this.#code.push(PC)
    this.program(body)
    for (let i = 0; i < items; i++) this.#code.push(POP)
  }

  #deploy(runtime: Uint8Array): void {
    this.#copy(runtime, () => this.#number(0))
    this.#number(runtime.length)
    this.#number(0)
    this.#code.push(RETURN)
  }

  #run(expr: Expr): void {
    this.#push(expr)
    const hasResult = typeof expr === 'string' || 'create' in expr || opcodeNamed(expr[0]).outputs === 1
    if (hasResult) this.#code.push(POP)
  }

  #push(expr: Expr): void {
    if (typeof expr === 'string') this.#constant(expr)
    else if ('create' in expr) this.#create(expr)
    else {
      for (const input of expr.slice(1).reverse()) this.#push(input)
      this.#code.push(opcodeNamed(expr[0]).byte)
    }
  }

  #create({ create, value, salt, init }: CreateExpr): void {
    const code = assemble(init)
    this.#copy(code, () => this.#number(0))
    if (create === 'CREATE2') this.#push(salt)
    this.#number(code.length)
    this.#number(0)
    this.#push(value)
    this.#code.push(opcodeNamed(create).byte)
  }

  #copy(bytes: Uint8Array, pushTarget: () => void): void {
    this.#number(bytes.length)
    this.#data.push({ bytes, at: this.#code.length })
    this.#code.push(PUSH2, 0, 0)
    pushTarget()
    this.#code.push(CODECOPY)
  }

  #loop(times: number, body: Program): void {
    this.#number(times)
    const start = this.#code.length
    this.#code.push(JUMPDEST)
    this.program(body)
    this.#code.push(PUSH1, 1, SWAP1, SUB, DUP1)
    this.#pushLabel(start)
    this.#code.push(JUMPI, POP)
  }

  #whileGas(above: number, body: Program): void {
    const start = this.#code.length
    this.#code.push(JUMPDEST, GAS)
    this.#number(above)
    this.#code.push(LT, ISZERO)
    const exit = this.#openLabel()
    this.#code.push(JUMPI)
    this.program(body)
    this.#pushLabel(start)
    this.#code.push(JUMP)
    this.#closeLabel(exit)
  }

  #if(when: Expr, body: Program): void {
    this.#push(when)
    this.#code.push(ISZERO)
    const exit = this.#openLabel()
    this.#code.push(JUMPI)
    this.program(body)
    this.#closeLabel(exit)
  }

  #mix(operands: readonly Expr[], opcodes: readonly Opcode[]): void {
    for (const operand of operands) this.#push(operand)
    let depth = operands.length
    for (const { byte, inputs, outputs } of opcodes) {
      if (inputs > depth) continue
      this.#code.push(byte)
      depth += outputs - inputs
    }
    for (; depth > 0; depth--) this.#code.push(POP)
  }

  #constant(hex: string): void {
    const bytes = hexToBytes(hex.length % 2 === 0 ? hex : `0x0${hex.slice(2)}`)
    if (bytes.length === 0 || bytes.length > MAX_PUSH_BYTES) throw new Error(`${hex}: expected 1 to 32 bytes`)
    this.#code.push(PUSH1 + bytes.length - 1, ...bytes)
  }

  #number(value: number): void {
    this.#constant(`0x${value.toString(16)}`)
  }

  #openLabel(): number {
    this.#code.push(PUSH2, 0, 0)
    return this.#code.length - 3
  }

  #closeLabel(at: number): void {
    this.#setPush2(at, this.#code.length)
    this.#code.push(JUMPDEST)
  }

  #pushLabel(target: number): void {
    const at = this.#openLabel()
    this.#setPush2(at, target)
  }

  #setPush2(at: number, value: number): void {
    this.#code[at + 1] = (value >> 8) & 0xff
    this.#code[at + 2] = value & 0xff
  }
}

export function assemble(program: Program): Uint8Array {
  const assembler = new Assembler()
  assembler.program(program)
  return assembler.finish()
}
