import { bytesToHex } from '@keelson/primitives'
import type { CreateExpr, Expr, Program, Statement } from '../program/program.ts'
import { address, call, constant, expression, length, offset, slot } from './expressions.ts'
import { precompileCall } from './precompiles.ts'
import { hexOf, type Scope } from './scope.ts'

const CREATED_AT = '0x0400'
const MAX_CODE_BYTES = 24_576

const run = (expr: Expr): Statement => ({ do: 'run', expr })

const STACK_EDGES = [1000, 1014, 1015, 1016, 1017, 1018, 1022, 1024]
const RISKY_PERCENT = 25

export function program(scope: Scope, count: number, nesting = 2): Program {
  scope.risky = scope.random.chance(RISKY_PERCENT)
  const statements: Statement[] = []
  for (let i = 0; i < count && scope.budget > 0; i++) statements.push(...statement(scope, nesting))
  if (scope.random.chance(55)) statements.push(ending(scope))
  return statements
}

function body(scope: Scope, nesting: number): Program {
  const count = scope.random.between(1, 3)
  return Array.from({ length: count }, () => (scope.budget > 0 ? statement(scope, nesting - 1) : [])).flat()
}

function statement(scope: Scope, nesting: number): readonly Statement[] {
  const { random } = scope
  scope.budget--
  const simple: (readonly [number, () => readonly Statement[]])[] = [
    [14, () => [run(['SSTORE', slot(scope), storedValue(scope)])]],
    [9, () => [run([random.chance(80) ? 'MSTORE' : 'MSTORE8', offset(scope), expression(scope, 2)])]],
    [6, () => [copy(scope)]],
    [5, () => [log(scope)]],
    [10, () => calling(scope)],
    [5, () => precompileCall(scope)],
    [6, () => [mix(scope)]],
    [5, () => [run(expression(scope, 3))]],
    [scope.risky ? 4 : 0, () => [raw(scope)]],
  ]
  if (scope.has('TSTORE')) simple.push([4, () => [run(['TSTORE', slot(scope), expression(scope, 1)])]])
  if (nesting <= 0) return random.weighted(simple)()
  return random.weighted<() => readonly Statement[]>([
    ...simple,
    [5, () => creation(scope, nesting)],
    [5, () => [{ do: 'loop', times: random.between(1, 9), body: body(scope, nesting) }]],
    [5, () => [{ do: 'if', when: condition(scope), body: conditionalBody(scope, nesting) }]],
    [1, () => [{ do: 'while-gas', above: random.between(500, 90_000), body: body(scope, nesting) }]],
    [1, () => [{ do: 'deep', items: random.pick(scope.risky ? STACK_EDGES : [3, 17, 1000]), body: body(scope, nesting) }]],
  ])()
}

/** All prices of EIP-2200: unchanged, changed, zeroed, restored. */
function storedValue(scope: Scope): Expr {
  const { random } = scope
  return random.weighted<() => Expr>([
    [6, () => hexOf(random.below(3))],
    [2, () => ['SLOAD', slot(scope)]],
    [2, () => ['ADD', ['SLOAD', slot(scope)], '0x01']],
    [2, () => ['ISZERO', ['SLOAD', slot(scope)]]],
    [3, () => expression(scope, 2)],
  ])()
}

function condition(scope: Scope): Expr {
  const { random } = scope
  return random.weighted<() => Expr>([
    [4, () => ['AND', ['CALLDATALOAD', '0x00'], hexOf(1 << random.below(8))]],
    [3, () => ['GT', ['GAS'], hexOf(random.below(120_000))]],
    [2, () => ['AND', ['GAS'], hexOf(1 << random.below(6))]],
    [2, () => ['ISZERO', ['SLOAD', slot(scope)]]],
    [2, () => ['EQ', ['CALLER'], random.pick(scope.addresses)]],
    [2, () => ['ISZERO', ['CALLVALUE']]],
    [3, () => expression(scope, 2)],
  ])()
}

function conditionalBody(scope: Scope, nesting: number): Program {
  return scope.random.chance(25) ? [ending(scope)] : body(scope, nesting)
}

function copy(scope: Scope): Statement {
  const from = [offset(scope), offset(scope), length(scope)] as const
  const name = scope.random.pick(
    scope.only(['CALLDATACOPY', 'CODECOPY', 'EXTCODECOPY', 'RETURNDATACOPY', 'RETURNDATACOPY', 'MCOPY', 'MCOPY']),
  )
  if (name === 'EXTCODECOPY') return run([name, address(scope), ...from])
  if (name !== 'RETURNDATACOPY' || (scope.risky && scope.random.chance(40))) return run([name, ...from])
  // A read past the end halts.
  return run([name, from[0], '0x00', scope.random.chance(70) ? ['RETURNDATASIZE'] : '0x00'])
}

function log(scope: Scope): Statement {
  const topics = scope.random.below(5)
  return run([`LOG${topics}`, offset(scope), length(scope), ...Array.from({ length: topics }, () => expression(scope, 1))])
}

function calling(scope: Scope): readonly Statement[] {
  const { random } = scope
  const first = random.pick<(expr: Expr) => Statement>([
    run,
    run,
    (expr) => run(['SSTORE', slot(scope), expr]),
    (expr) => run(['MSTORE', offset(scope), expr]),
  ])(call(scope))
  if (!scope.has('RETURNDATACOPY') || random.chance(60)) return [first]
  return [first, run(['RETURNDATACOPY', offset(scope), '0x00', ['RETURNDATASIZE']])]
}

const MIXED = [
  ...['ADD', 'MUL', 'SUB', 'DIV', 'SDIV', 'MOD', 'SMOD', 'ADDMOD', 'MULMOD', 'EXP', 'SIGNEXTEND', 'LT', 'GT', 'SLT', 'SGT', 'EQ', 'ISZERO'],
  ...[
    'AND',
    'OR',
    'XOR',
    'NOT',
    'BYTE',
    'SHL',
    'SHR',
    'SAR',
    'CLZ',
    'POP',
    'CALLER',
    'GAS',
    'PC',
    'MSIZE',
    'CALLDATALOAD',
    'JUMPDEST',
    'PUSH0',
  ],
]

function mix(scope: Scope): Statement {
  const { random } = scope
  const operands = Array.from({ length: random.between(2, 17) }, () => (random.chance(85) ? constant(scope) : expression(scope, 1)))
  const opcodes = Array.from({ length: random.between(2, 14) }, () =>
    random.weighted<() => string>([
      [5, () => random.pick(scope.only(MIXED))],
      [2, () => `DUP${random.between(1, 16)}`],
      [2, () => `SWAP${random.between(1, 16)}`],
    ])(),
  )
  return { do: 'mix', operands, opcodes: [...opcodes, ...(random.chance(50) ? [] : ['SWAP1'])] }
}

/** Undefined opcodes, bad jumps and underflow. */
function raw({ random }: Scope): Statement {
  return {
    do: 'raw',
    bytes: random.weighted<() => string>([
      // PC PUSH1 n ADD JUMP PUSH1 5b JUMPDEST: n = 6 is inside push data, 7 behind it.
      [3, () => `0x5860${random.pick(['06', '07', '07', '08'])}0156605b5b`],
      // PUSH1 1 PC PUSH1 n ADD JUMPI PUSH2 5b5b JUMPDEST POP
      [3, () => `0x6001586009015761${random.pick(['5b5b', '0000'])}505b`],
      [1, () => bytesToHex(random.bytes(random.between(1, 4)))],
      [1, () => `0x${random.pick(['50', '5056', '0c', '21', 'ee', 'f6', '91', '8f', '01', '5f', '5c', '1e', '49', 'ef00', '6000ff'])}`],
      [1, () => `0x${random.pick(['60005600', '61ffff56', `7f${'ff'.repeat(32)}56`, '6800000000000000000156'])}`],
      // Opcodes that some forks lack.
      [2, () => `0x${random.pick(['60016002901b50', '4650', '4750', '4850', '4a50', '5f50', '60005c50', '60011e50', '3d50', '60003f50'])}`],
    ])(),
  }
}

function ending(scope: Scope): Statement {
  const { random } = scope
  return random.weighted<() => Statement>([
    [6, () => run(['RETURN', offset(scope), length(scope)])],
    [3, () => run(scope.has('REVERT') ? ['REVERT', offset(scope), length(scope)] : ['INVALID'])],
    [1, () => run(['INVALID'])],
    [1, () => run(['STOP'])],
    [3, () => run(['SELFDESTRUCT', address(scope)])],
    // The end of the code cuts off push data.
    [1, () => ({ do: 'raw', bytes: random.pick(['0x7f01', '0x60', '0x6101']) })],
  ])()
}

function creation(scope: Scope, nesting: number): readonly Statement[] {
  const { random } = scope
  const creates: CreateExpr = {
    create: scope.has('CREATE2') && random.chance(60) ? 'CREATE2' : 'CREATE',
    value: hexOf(
      random.weighted([
        [6, 0],
        [3, 1],
        [1, 2 ** 40],
      ]),
    ),
    // Few salts, so that addresses collide.
    salt: hexOf(random.below(2)),
    init: initCode(scope, nesting - 1),
  }
  const keep = run(['MSTORE', CREATED_AT, creates])
  if (random.chance(30)) return [run(['SSTORE', slot(scope), creates])]
  const use = (): Statement => {
    const made = call(scope)
    return run([made[0], made[1] as Expr, ['MLOAD', CREATED_AT], ...made.slice(3)])
  }
  return random.chance(70) ? [keep, use(), ...(random.chance(30) ? [use()] : [])] : [keep]
}

export function initCode(scope: Scope, nesting: number): Program {
  const { random } = scope
  const prologue = random.chance(50) ? body(scope, nesting) : []
  const end: Statement = random.weighted<() => Statement>([
    [12, () => ({ do: 'deploy', runtime: program(scope, random.between(1, 4), nesting) })],
    [2, () => run(['RETURN', '0x00', hexOf(random.below(40))])],
    [2, () => ending(scope)],
    [1, () => run(['RETURN', '0x00', hexOf(MAX_CODE_BYTES + random.below(2))])],
    // EIP-3541: code may not begin with 0xef.
    [1, () => ({ do: 'deploy', runtime: [{ do: 'raw', bytes: random.pick(['0xef', '0xef00', `0xef0100${'11'.repeat(20)}`, '0xfe']) }] })],
  ])()
  return [...prologue, end]
}
