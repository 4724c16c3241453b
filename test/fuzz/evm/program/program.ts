/** Statements leave the stack unchanged, so that shrinking can delete any. */

/** `0x...` is pushed with exactly these bytes; a list is an opcode with arguments, top of the stack first. */
export type Expr = string | OpcodeExpr | CreateExpr

export interface OpcodeExpr extends ReadonlyArray<Expr> {
  readonly 0: string
}

/** Copies the init code to memory offset 0 and creates a contract. */
export interface CreateExpr {
  readonly create: 'CREATE' | 'CREATE2'
  readonly value: Expr
  readonly salt: Expr
  readonly init: Program
}

export type Statement =
  | { readonly do: 'run'; readonly expr: Expr }
  | { readonly do: 'loop'; readonly times: number; readonly body: Program }
  /** Repeats while more than `above` gas is left. */
  | { readonly do: 'while-gas'; readonly above: number; readonly body: Program }
  | { readonly do: 'if'; readonly when: Expr; readonly body: Program }
  /** Pushes this many items around the body. */
  | { readonly do: 'deep'; readonly items: number; readonly body: Program }
  /** Opcodes without enough operands are left out; remaining operands are popped. */
  | { readonly do: 'mix'; readonly operands: readonly Expr[]; readonly opcodes: readonly string[] }
  | { readonly do: 'data'; readonly to: Expr; readonly bytes: string }
  /** In init code: returns this program as the contract's code. */
  | { readonly do: 'deploy'; readonly runtime: Program }
  | { readonly do: 'raw'; readonly bytes: string }

export type Program = readonly Statement[]
