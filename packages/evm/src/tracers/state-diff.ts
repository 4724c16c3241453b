/** OpenEthereum's form: `=` for equal, `+` for new, `-` for gone, `*` for changed. */
import { BASE_FEE_VAULT, formatQuantity, hexToBytes, L1_FEE_VAULT, OPERATOR_FEE_VAULT } from '@keelson/primitives'
import { createPrestateTracer } from './prestate-tracer.ts'
import type { TraceContext, TransactionTracer } from './transaction-tracer.ts'

interface AccountJson {
  readonly balance?: string
  readonly nonce?: number
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

const ZERO_WORD = `0x${'00'.repeat(32)}`
const FEE_VAULTS = [BASE_FEE_VAULT, L1_FEE_VAULT, OPERATOR_FEE_VAULT].map(hexToBytes)

export function createStateDiffTracer(context: TraceContext): TransactionTracer {
  const prestate = createPrestateTracer({ diffMode: true }, context, FEE_VAULTS)
  return {
    hooks: prestate.hooks,
    start: (tx, state) => prestate.start(tx, state),
    end: (outcome) => prestate.end(outcome),
    result: () => diffOf(prestate.result()),
  }
}

type Accounts = Readonly<Record<string, AccountJson>>

function diffOf(answer: unknown): Readonly<Record<string, unknown>> {
  const { pre, post } = (answer ?? { pre: {}, post: {} }) as { readonly pre: Accounts; readonly post: Accounts }
  const addresses = [...new Set([...Object.keys(pre), ...Object.keys(post)])].sort()
  return Object.fromEntries(addresses.map((address) => [address, accountDiff(pre[address], post[address])]))
}

function accountDiff(before: AccountJson | undefined, after: AccountJson | undefined): unknown {
  if (before === undefined) return marked('+', after ?? {})
  if (after === undefined) return marked('-', before)
  const changed = <T>(from: T, to: T | undefined) => (to === undefined || to === from ? '=' : { '*': { from, to } })
  const slots = [...new Set([...Object.keys(before.storage ?? {}), ...Object.keys(after.storage ?? {})])].sort()
  return {
    balance: changed(before.balance ?? '0x0', after.balance),
    code: changed(before.code ?? '0x', after.code),
    nonce: changed(nonceOf(before), after.nonce === undefined ? undefined : nonceOf(after)),
    storage: Object.fromEntries(
      slots.map((slot) => [slot, { '*': { from: before.storage?.[slot] ?? ZERO_WORD, to: after.storage?.[slot] ?? ZERO_WORD } }]),
    ),
  }
}

function marked(sign: '+' | '-', account: AccountJson): unknown {
  return {
    balance: { [sign]: account.balance ?? '0x0' },
    code: { [sign]: account.code ?? '0x' },
    nonce: { [sign]: nonceOf(account) },
    storage: Object.fromEntries(Object.entries(account.storage ?? {}).map(([slot, value]) => [slot, { [sign]: value }])),
  }
}

function nonceOf({ nonce }: AccountJson): string {
  return formatQuantity(nonce ?? 0)
}
