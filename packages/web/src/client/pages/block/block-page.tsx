import { fetchBlock } from '../../data/block-details.ts'
import { finalityOf } from '../../data/finality.ts'
import type { Carriers, IndexedTransaction } from '../../data/index-types.ts'
import { useAbis } from '../../data/use-abis.ts'
import { useIndex } from '../../data/use-index.ts'
import { useHeads } from '../../data/use-network.ts'
import { useQuery } from '../../data/use-query.ts'
import { formatBytes, formatCount, formatGasPrice, formatPercent } from '../../format/amounts.ts'
import { formatAbsolute } from '../../format/times.ts'
import { CarriedBy } from '../../parts/carried-by.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { FullHex } from '../../parts/hashes/full-hex.tsx'
import { AddressLink } from '../../parts/hashes/hash.tsx'
import { L1BlockNumber } from '../../parts/hashes/l1-links.tsx'
import { Notice } from '../../parts/notice.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import { FinalityBadge } from '../../parts/status-badge.tsx'
import { Ago } from '../../parts/time.tsx'
import { Link } from '../../shell/link.tsx'
import type { PageProps } from '../../shell/routes.tsx'
import { useTitle } from '../../shell/use-title.ts'
import { transactionColumns } from '../explorer/transaction-columns.tsx'
import '../explorer/explorer.css'

const CARRIERS_MS = 5_000
const WAITING_MS = 2_000

/** `id` is a height or a hash. */
export function BlockPage({ id }: PageProps) {
  useTitle(`Block ${id}`)
  const { data: answer, error } = useQuery(`block ${id}`, () => fetchBlock(id), null)
  const waiting = useQuery(answer?.block === null ? `block ${id}` : null, () => fetchBlock(id), WAITING_MS)
  const block = (waiting.data ?? answer)?.block ?? null
  const heads = useHeads().data?.heads ?? null
  const abis = useAbis()
  const carriers = useIndex<Carriers>(block === null ? null : `/blocks/${block.number}/l1`, CARRIERS_MS)
  if (answer === null) return <Notice error={error} what="the block" />
  if (block === null)
    return (
      <section className="card">
        <h1>Block {id} is not here</h1>
        <p className="hint">
          The node does not have it. A later block appears here as soon as it is built; the newest is {heads?.unsafe.number ?? 'not known'}.
        </p>
      </section>
    )
  return (
    <>
      <div className="title-line">
        <h1>
          Block {formatCount(block.number)} <FinalityBadge finality={finalityOf(block.number, heads)} />
        </h1>
        <nav className="pager" aria-label="Neighbours of this block">
          {block.number > 0 && (
            <Link href={`/block/${block.number - 1}`} className="button is-plain">
              Earlier
            </Link>
          )}
          {(heads === null || block.number < heads.unsafe.number) && (
            <Link href={`/block/${block.number + 1}`} className="button is-plain">
              Later
            </Link>
          )}
        </nav>
      </div>
      <section className="card">
        <Facts>
          <Fact name="Time">
            {formatAbsolute(block.timeMs)}, <Ago ms={block.timeMs} />
          </Fact>
          <Fact name="L1 origin" hint="The L1 block whose deposits and time this block follows.">
            {block.l1Origin === null ? (
              'not known'
            ) : (
              <>
                L1 block <L1BlockNumber number={block.l1Origin} />
              </>
            )}
          </Fact>
          <Fact name="Carried to L1 by">
            <CarriedBy carriers={carriers.data} error={carriers.error} />
          </Fact>
          <Fact name="Transactions">{formatCount(block.transactions)}</Fact>
          <Fact name="Gas used">
            {formatCount(block.gasUsed)} of {formatCount(block.gasLimit)} ({formatPercent(block.gasUsed / block.gasLimit)})
          </Fact>
          <Fact name="Base fee">{formatGasPrice(block.baseFeeWei)} per gas</Fact>
          <Fact name="Size">{formatBytes(block.sizeBytes)}</Fact>
          <Fact name="Fees go to">
            <AddressLink address={block.feeRecipient} />
          </Fact>
          <Fact name="Hash">
            <FullHex hex={block.hash} what="the hash" />
          </Fact>
          <Fact name="Parent">
            <FullHex hex={block.parentHash} what="the hash of the parent">
              <Link className="hex" href={`/block/${block.parentHash}`}>
                {block.parentHash}
              </Link>
            </FullHex>
          </Fact>
          <Fact name="State root">
            <FullHex hex={block.stateRoot} what="the state root" />
          </Fact>
        </Facts>
      </section>
      <section className="card">
        <h2>Transactions</h2>
        <PagedList<IndexedTransaction>
          what="the transactions of the block"
          path={`/blocks/${block.number}/transactions`}
          empty="The block has no transactions."
          columns={transactionColumns(abis, { withBlock: false })}
          keyOf={({ hash }) => hash}
        />
      </section>
    </>
  )
}
