/** A program as a tree whose statements leave the stack as they found it, so that shrinking can delete any of them. */

/** `0x...` is pushed with exactly these bytes; a list is an opcode with its arguments, the top of the stack first. */
export type Expr = string | OpcodeExpr | CreateExpr

export interface OpcodeExpr extends ReadonlyArray<Expr> {
  readonly 0: string
}

/** Copies the init code from the program's data to memory offset 0 and creates a contract. */
export interface CreateExpr {
  readonly create: 'CREATE' | 'CREATE2'
  readonly value: Expr
  /** For CREATE2. */
  readonly salt: Expr
  readonly init: Program
}

export type Statement =
  /** Runs an opcode; a result is popped. */
  | { readonly do: 'run'; readonly expr: Expr }
  | { readonly do: 'loop'; readonly times: number; readonly body: Program }
  /** Repeats while more than `above` gas is left. */
  | { readonly do: 'while-gas'; readonly above: number; readonly body: Program }
  | { readonly do: 'if'; readonly when: Expr; readonly body: Program }
  /** Pushes this many items around the body. */
  | { readonly do: 'deep'; readonly items: number; readonly body: Program }
  /** Opcodes on a few operands; one that lacks operands is left out, and what remains is popped. */
  | { readonly do: 'mix'; readonly operands: readonly Expr[]; readonly opcodes: readonly string[] }
  /** Copies these bytes to memory. */
  | { readonly do: 'data'; readonly to: Expr; readonly bytes: string }
  /** In init code: returns this program as the contract's code. */
  | { readonly do: 'deploy'; readonly runtime: Program }
  | { readonly do: 'raw'; readonly bytes: string }

export type Program = readonly Statement[]
