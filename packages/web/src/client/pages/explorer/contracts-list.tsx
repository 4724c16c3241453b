import { useConfig } from '../../data/config.ts'
import { FullHex } from '../../parts/hashes/full-hex.tsx'
import { L1Address } from '../../parts/hashes/l1-links.tsx'
import { Table } from '../../parts/table.tsx'
import { Link } from '../../shell/link.tsx'

type Row = readonly [name: string, address: string]

/** Contracts that belong to the network; those of others are found by their address. */
export function ContractsList() {
  const { contracts } = useConfig()
  const columns = (isOnL2: boolean) => [
    { name: 'Contract', show: ([name]: Row) => name },
    {
      name: 'Address',
      show: ([name, address]: Row) => (
        <span className="address-line">
          {isOnL2 ? (
            <FullHex hex={address} what={`the address of ${name}`}>
              <Link className="hex" href={`/address/${address}`}>
                {address}
              </Link>
            </FullHex>
          ) : (
            <L1Address hex={address} full />
          )}
        </span>
      ),
    },
  ]
  const sections = [
    { title: 'On this network', isOnL2: true, rows: Object.entries(contracts.l2).reverse() },
    { title: 'On L1', isOnL2: false, rows: Object.entries(contracts.l1) },
  ]
  return (
    <>
      {sections
        .filter(({ rows }) => rows.length > 0)
        .map(({ title, isOnL2, rows }) => (
          <div key={title} className="contracts">
            <h2>{title}</h2>
            <Table caption={`Contracts: ${title}`} columns={columns(isOnL2)} rows={rows} keyOf={([name]) => name} />
          </div>
        ))}
    </>
  )
}
