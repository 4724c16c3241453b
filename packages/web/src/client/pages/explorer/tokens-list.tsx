import { useConfig } from '../../data/config.ts'
import type { Token } from '../../data/index-types.ts'
import { TryIt } from '../../parts/command/try-it.tsx'
import { AddressLink, BlockLink } from '../../parts/hashes/hash.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import type { Column } from '../../parts/table.tsx'
import { Link } from '../../shell/link.tsx'

const COLUMNS: readonly Column<Token>[] = [
  { name: 'Token', show: ({ address, name, symbol }) => <Link href={`/token/${address}`}>{name ?? symbol ?? 'without a name'}</Link> },
  { name: 'Symbol', show: ({ symbol }) => symbol ?? 'none' },
  { name: 'Kind', show: ({ kind }) => kind },
  { name: 'Decimals', isNumber: true, show: ({ decimals }) => decimals ?? 'none' },
  { name: 'Contract', show: ({ address }) => <AddressLink address={address} /> },
  { name: 'First seen', isNumber: true, show: ({ firstBlock }) => <BlockLink number={firstBlock} /> },
]

export function TokensList() {
  const { commands } = useConfig()
  return (
    <>
      <p className="hint">Names and symbols are the words of each contract; anybody may use any name.</p>
      <PagedList
        what="the tokens"
        path="/tokens"
        empty={
          <TryIt command={`${commands.deposit} --amount 1 --token L1_TOKEN --l2-token L2_TOKEN`}>
            There is no token yet. One appears here with its first transfer, or when it comes over the bridge:
          </TryIt>
        }
        columns={COLUMNS}
        keyOf={({ address }) => address}
      />
    </>
  )
}
