import { decodeUint } from '@keelson/contracts/abi'
import { OUTPUT_ORACLE_CALLS } from '@keelson/contracts/bridge'
import { bytesToHex, hexToBytes } from '@keelson/primitives'
import { useConfig } from '../../data/config.ts'
import { rpcOn } from '../../data/rpc.ts'
import { useHeads } from '../../data/use-network.ts'
import { useQuery } from '../../data/use-query.ts'
import { formatDuration } from '../../format/times.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { depositMs } from './deposit-ms.ts'
import type { Funds } from './use-funds.ts'

interface TransferQuoteProps {
  readonly isDeposit: boolean
  readonly amountWei: bigint | null
  readonly funds: Funds | null
}

/** What arrives, what it costs and how long it takes, before the wallet opens. */
export function TransferQuote({ isDeposit, amountWei, funds }: TransferQuoteProps) {
  const [from, to] = isDeposit ? ['L1', 'L2'] : ['L2', 'L1']
  return (
    <Facts>
      <Fact name="You receive">
        {amountWei === null ? (
          '…'
        ) : (
          <>
            <NativeAmount wei={amountWei} /> on {to}
          </>
        )}
      </Fact>
      <Fact name="Fee">
        {funds === null ? (
          '…'
        ) : (
          <>
            at most <NativeAmount wei={funds.feeWei} /> on {from}
          </>
        )}
        {!isDeposit && ', later gas for two transactions on L1'}
      </Fact>
      <Fact name="Time">{isDeposit ? <DepositTime /> : <WithdrawalTime />}</Fact>
    </Facts>
  )
}

function DepositTime() {
  const heads = useHeads().data?.heads
  const ms = heads == null ? null : depositMs(heads)
  return ms === null ? 'soon after L1 includes it' : `about ${formatDuration(ms)} after L1 includes it`
}

function WithdrawalTime() {
  const { contracts, l2 } = useConfig()
  const oracle = contracts.l1.L2OutputOracle
  const { data } = useQuery(oracle === undefined ? null : 'output oracle', () => readOracle(oracle ?? ''))
  if (data === null) return 'until the next output root, then the challenge period'
  const every = formatDuration(1000 * data.intervalBlocks * l2.blockTimeSec)
  return `until the next output root (one every ${every}), then ${formatDuration(1000 * data.challengeSec)} after the proof`
}

async function readOracle(oracle: string) {
  const ask = async (data: Uint8Array) =>
    Number(decodeUint(hexToBytes(await rpcOn<string>('l1', 'eth_call', [{ to: oracle, data: bytesToHex(data) }, 'latest']))))
  const [intervalBlocks, challengeSec] = await Promise.all([
    ask(OUTPUT_ORACLE_CALLS.submissionInterval),
    ask(OUTPUT_ORACLE_CALLS.finalizationPeriodSeconds),
  ])
  return { intervalBlocks, challengeSec }
}
