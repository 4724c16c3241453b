import type { AmountUnit } from '../../data/abi/amount-unit.ts'
import type { TokenDetails } from '../../data/index-types.ts'
import { rpc } from '../../data/rpc.ts'
import { useIndex } from '../../data/use-index.ts'
import { useQuery } from '../../data/use-query.ts'
import { groupDigits } from '../../format/amounts.ts'
import { NativeAmount } from './native-amount.tsx'
import { TokenAmount } from './token-amount.tsx'

export interface AmountValueProps {
  readonly amount: bigint
  readonly unit: AmountUnit
  /** Whose call, event or error has the amount. */
  readonly contract: string
}

/** Selectors of `token0()` and `token1()`. */
const SIDES = ['0x0dfe1681', '0xd21220a7'] as const

/** A decoded amount with the decimals and symbol of its token; as it is while no token is known. */
export function AmountValue({ amount, unit, contract }: AmountValueProps) {
  return unit.kind === 'native' ? (
    <NativeAmount wei={amount} places={18} />
  ) : (
    <OfToken amount={amount} unit={unit} contract={contract.toLowerCase()} />
  )
}

function OfToken({ amount, unit, contract }: AmountValueProps & { readonly unit: Exclude<AmountUnit, { kind: 'native' }> }) {
  const side = unit.kind === 'side' ? unit.side : null
  const sideToken = useQuery(side === null ? null : `token${side} of ${contract}`, () => readToken(contract, SIDES[side ?? 0]))
  const address = unit.kind === 'token' ? unit.address : unit.kind === 'own' ? contract : (sideToken.data?.address ?? null)
  const { data } = useIndex<TokenDetails>(address === null ? null : `/tokens/${address}`)
  if (data === null || data.decimals === null) return <span className="number">{groupDigits(amount.toString())}</span>
  return <TokenAmount amount={amount.toString()} tokenId={null} token={data} />
}

async function readToken(contract: string, data: string): Promise<{ readonly address: string | null }> {
  const answer = await rpc<string>('eth_call', [{ to: contract, data }, 'latest']).catch(() => '0x')
  return { address: /^0x0{24}[0-9a-f]{40}$/.test(answer) ? `0x${answer.slice(26)}` : null }
}
