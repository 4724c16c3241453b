import { useConfig } from '../../data/config.ts'
import type { Token } from '../../data/index-types.ts'
import { useIndex } from '../../data/use-index.ts'
import { TokenLink } from '../../parts/amounts/token-amount.tsx'
import { AddressLink } from '../../parts/hashes/hash.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Link } from '../../shell/link.tsx'
import { useSearch } from '../../shell/location.ts'
import { useTitle } from '../../shell/use-title.ts'
import './explorer.css'

type Found =
  | { readonly kind: 'block'; readonly number: number; readonly hash: string }
  | { readonly kind: 'transaction'; readonly hash: string }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'token'; readonly token: Token }

export function SearchPage() {
  const text = (new URLSearchParams(useSearch()).get('q') ?? '').trim().slice(0, 100)
  useTitle('Search')
  const { contracts } = useConfig()
  const { data, error } = useIndex<{ readonly items: readonly Found[] }>(text === '' ? null : `/search?q=${encodeURIComponent(text)}`)
  const named = Object.entries(contracts.l2).filter(([name]) => text !== '' && name.toLowerCase().includes(text.toLowerCase()))
  return (
    <section className="card">
      <h1>Search</h1>
      <p className="hint">
        {text === '' ? 'Type a height, a hash, an address, or the beginning of the name of a token above.' : `Results for “${text}”`}
      </p>
      {named.length > 0 && (
        <ul className="results">
          {named.map(([name, address]) => (
            <li key={name}>
              <span className="badge">contract</span> <Link href={`/address/${address}`}>{name}</Link>
            </li>
          ))}
        </ul>
      )}
      {text !== '' && data === null && <Notice error={error} what="the results" />}
      {data !== null && data.items.length === 0 && named.length === 0 && (
        <p className="empty">Nothing was found. Names are compared from their beginning; hashes and addresses must be complete.</p>
      )}
      {data !== null && (
        <ul className="results">
          {data.items.map((found) => (
            <li key={JSON.stringify(found)}>
              <span className="badge">{found.kind}</span> <Result found={found} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Result({ found }: { readonly found: Found }) {
  switch (found.kind) {
    case 'block':
      return <Link href={`/block/${found.number}`}>{found.number}</Link>
    case 'transaction':
      return (
        <Link className="hex" href={`/tx/${found.hash}`}>
          {found.hash}
        </Link>
      )
    case 'address':
      return <AddressLink address={found.address} full />
    case 'token':
      return (
        <>
          <TokenLink token={found.token} /> {found.token.name ?? ''} <span className="muted">{found.token.kind}</span>
        </>
      )
  }
}
