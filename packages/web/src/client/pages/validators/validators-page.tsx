import { toAddress } from '@keelson/primitives'
import { useState } from 'react'
import { useConfig } from '../../data/config.ts'
import { readStaking } from '../../data/staking/staking.ts'
import { createStakingHistory } from '../../data/staking/staking-history.ts'
import { useNetwork } from '../../data/use-network.ts'
import { useQuery } from '../../data/use-query.ts'
import { Card } from '../../parts/card.tsx'
import { CheckList } from '../../parts/check-list.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useSearch } from '../../shell/location.ts'
import { useTitle } from '../../shell/use-title.ts'
import { RulesCard } from './rules-card.tsx'
import { SetCard } from './set-card.tsx'
import { SlashingsCard } from './slashings-card.tsx'
import { StakingFigures } from './staking-figures.tsx'
import '../explorer/explorer.css'
import './validators.css'

const REFRESH_MS = 6_000

export function ValidatorsPage() {
  useTitle('Validators')
  const { contracts } = useConfig()
  return (
    <>
      <h1>Validators</h1>
      {contracts.l2.Staking === undefined ? (
        <p className="card empty">This network has no Staking contract.</p>
      ) : (
        <Staking contract={contracts.l2.Staking} />
      )}
      <RoleCards />
    </>
  )
}

function Staking({ contract }: { readonly contract: string }) {
  const { l2 } = useConfig()
  const address = toAddress(contract)
  const [history] = useState(() => createStakingHistory(address))
  const page = pageOf(useSearch())
  const { data, error } = useQuery(`staking ${page}`, () => readStaking(address, history, l2.blockTimeSec, page), REFRESH_MS)
  if (data === null)
    return (
      <section className="card">
        <Notice error={error} what="the Staking contract" />
      </section>
    )
  return (
    <>
      <StakingFigures view={data} />
      <SetCard view={data} />
      <SlashingsCard view={data} contract={address} />
      <RulesCard terms={data.terms} />
    </>
  )
}

/** Counted from 0; the page's address counts from 1. */
function pageOf(search: string): number {
  const text = new URLSearchParams(search).get('page') ?? ''
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) - 1 : 0
}

/** Roles with duties, in the words of their health ports. */
function RoleCards() {
  const roles = useNetwork().data?.roles.filter(
    ({ name, checks }) => name === 'validator' || checks.some((check) => check.name === 'duties'),
  )
  return roles?.map(({ name, ready, trouble, checks }) => (
    <Card
      key={name}
      title={`What the ${name} of this network says`}
      aside={<span className={`badge ${ready ? 'is-good' : 'is-bad'}`}>{ready ? 'ready' : 'not ready'}</span>}
    >
      {trouble !== null && <p className="bad-text">{trouble}</p>}
      <CheckList checks={checks} />
    </Card>
  ))
}
