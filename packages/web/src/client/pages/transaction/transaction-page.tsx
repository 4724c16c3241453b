import { ZERO_HASH } from '@keelson/primitives'
import { decodeCall } from '../../data/abi/decode.ts'
import { fetchBlock } from '../../data/block-details.ts'
import { contractName, useConfig } from '../../data/config.ts'
import { useContractAbis } from '../../data/contract-abis.ts'
import { finalityOf } from '../../data/finality.ts'
import type { Carriers } from '../../data/index-types.ts'
import { fetchTransaction } from '../../data/transaction-details.ts'
import { DEPOSIT_TYPE, isL1Info, POST_EXEC_TYPE, typeName } from '../../data/transaction-kind.ts'
import { useIndex } from '../../data/use-index.ts'
import { useHeads } from '../../data/use-network.ts'
import { useQuery } from '../../data/use-query.ts'
import { formatCount, formatPercent } from '../../format/amounts.ts'
import { formatAbsolute } from '../../format/times.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { CarriedBy } from '../../parts/carried-by.tsx'
import { DataBlock } from '../../parts/data-block.tsx'
import { DecodedParts } from '../../parts/decoded.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { FullHex } from '../../parts/hashes/full-hex.tsx'
import { AddressLink, BlockLink } from '../../parts/hashes/hash.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Recipient } from '../../parts/recipient.tsx'
import { FinalityBadge, ResultBadge } from '../../parts/status-badge.tsx'
import { Ago } from '../../parts/time.tsx'
import type { PageProps } from '../../shell/routes.tsx'
import { useTitle } from '../../shell/use-title.ts'
import { CallTree, calledIn } from './call-tree.tsx'
import { DepositFacts } from './deposit-facts.tsx'
import { FeeFacts } from './fee-facts.tsx'
import { LogsCard } from './logs-card.tsx'
import { TransfersCard } from './transfers-card.tsx'
import { RevertReason, useTrace } from './use-trace.tsx'
import '../explorer/explorer.css'
import './transaction.css'

const WAITING_MS = 500
const CARRIERS_MS = 5_000

export function TransactionPage({ id: hash }: PageProps) {
  useTitle(`Transaction ${hash.slice(0, 10)}`)
  const key = `transaction ${hash}`
  const first = useQuery(key, () => fetchTransaction(hash), null)
  // A block that is being built has no hash yet. specs: protocol/subblocks.md#json-rpc
  const isOpen = first.data?.receipt?.blockHash === ZERO_HASH
  const isWaiting = first.data !== null && (first.data.receipt === null || isOpen)
  useQuery(isWaiting ? key : null, () => fetchTransaction(hash), WAITING_MS)
  const { data, error } = first
  const heads = useHeads().data?.heads ?? null
  const number = data?.transaction?.blockNumber == null || isOpen ? null : Number(data.transaction.blockNumber)
  const block = useQuery(number === null ? null : `block ${number}`, () => fetchBlock(String(number)), null).data?.block
  const carriers = useIndex<Carriers>(number === null ? null : `/blocks/${number}/l1`, CARRIERS_MS)
  const trace = useTrace(data?.receipt == null || isOpen ? null : hash)
  const abis = useContractAbis([
    data?.transaction?.to,
    ...(data?.receipt?.logs ?? []).map(({ address }) => address),
    ...calledIn(trace.data),
  ])
  if (data === null) return <Notice error={error} what="the transaction" />
  const { transaction, receipt } = data
  if (transaction === null)
    return (
      <section className="card">
        <h1>This transaction is not here</h1>
        <p className="hex hint">{hash}</p>
        <p className="hint">The node has it neither in a block nor in its pool. If it was just sent, it appears here by itself.</p>
      </section>
    )
  const type = Number(transaction.type)
  const isDeposit = type === DEPOSIT_TYPE
  const isPostExec = type === POST_EXEC_TYPE
  const itsAbi = abis.of(transaction.to)
  const call = itsAbi === null || transaction.to === null ? null : decodeCall(transaction.input, itsAbi)
  const kind = isL1Info({ type, from: transaction.from }) ? 'L1 information' : (typeName(type) ?? `type ${type}`)
  return (
    <>
      <h1>
        Transaction{' '}
        {receipt === null ? <span className="badge">waiting in the pool</span> : <ResultBadge succeeded={receipt.status === '0x1'} />}{' '}
        {isOpen && <span className="badge">in the block that is being built</span>}
        {number !== null && <FinalityBadge finality={finalityOf(number, heads)} />}
      </h1>
      <section className="card">
        <Facts>
          <Fact name="Hash">
            <FullHex hex={hash} what="the hash" />
          </Fact>
          {receipt?.status === '0x0' && (
            <Fact name="Why it failed">
              <RevertReason trace={trace} abis={abis} gasUsed={Number(receipt.gasUsed)} gasLimit={Number(transaction.gas)} />
            </Fact>
          )}
          <Fact name="Block">
            {number === null ? (
              <span className="muted">{isOpen ? `${Number(receipt?.blockNumber)}, which the sequencer is building` : 'none yet'}</span>
            ) : (
              <>
                <BlockLink number={number} /> at position {Number(transaction.transactionIndex)}
                {block != null && (
                  <>
                    , {formatAbsolute(block.timeMs)}, <Ago ms={block.timeMs} />
                  </>
                )}
              </>
            )}
          </Fact>
          {number !== null && (
            <Fact name="Carried to L1 by">
              <CarriedBy carriers={carriers.data} error={carriers.error} />
            </Fact>
          )}
          <Fact name="From">
            <FullHex hex={transaction.from} what="the address of the sender">
              <AddressLink address={transaction.from} full />
            </FullHex>
          </Fact>
          <Fact name="To">
            {isPostExec ? (
              <span className="muted">nobody: the sequencer appended it to refund gas of transactions of its block</span>
            ) : transaction.to === null ? (
              <Recipient to={null} created={receipt?.contractAddress ?? null} />
            ) : (
              <>
                <FullHex hex={transaction.to} what="the address of the recipient">
                  <AddressLink address={transaction.to} full />
                </FullHex>{' '}
                <ContractNote address={transaction.to} />
              </>
            )}
          </Fact>
          <Fact name="Value">
            <NativeAmount wei={transaction.value} places={18} />
          </Fact>
          <Fact name="Kind">
            {kind}
            {!isDeposit && !isPostExec && `, nonce ${Number(transaction.nonce)}`}
          </Fact>
          {receipt !== null && !isPostExec && (
            <Fact name="Gas used">
              {formatCount(Number(receipt.gasUsed))} of {formatCount(Number(transaction.gas))} (
              {formatPercent(Number(receipt.gasUsed) / Number(transaction.gas))})
            </Fact>
          )}
        </Facts>
      </section>
      {isDeposit ? (
        <DepositFacts transaction={transaction} />
      ) : (
        receipt !== null && !isPostExec && <FeeFacts transaction={transaction} receipt={receipt} />
      )}
      <TransfersCard hash={hash} />
      <section className="card">
        <h2>Call</h2>
        {call !== null && <DecodedParts decoded={call} contract={transaction.to} />}
        <details className="raw" open={call === null && transaction.input.length <= 202}>
          <summary>Data of the call, {formatCount((transaction.input.length - 2) / 2)} bytes</summary>
          <DataBlock hex={transaction.input} />
        </details>
      </section>
      {receipt !== null && <LogsCard logs={receipt.logs} abis={abis} />}
      {receipt !== null && <CallTree trace={trace} abis={abis} />}
    </>
  )
}

/** The name of a contract of this network beside its address. */
function ContractNote({ address }: { readonly address: string }) {
  const name = contractName(useConfig(), address)
  return name === null ? null : <span className="badge">{name}</span>
}
