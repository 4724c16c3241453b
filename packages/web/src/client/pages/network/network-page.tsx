import { useNetwork } from '../../data/use-network.ts'
import { HealthCard } from '../../parts/health-card.tsx'
import { useTitle } from '../../shell/use-title.ts'
import { IncidentsCard } from './incidents-card.tsx'
import { NodesCard } from './nodes-card.tsx'
import { PeersCard } from './peers-card.tsx'
import { RolesCard } from './roles-card.tsx'
import '../explorer/explorer.css'
import './network.css'

export function NetworkPage() {
  useTitle('Network')
  const { data, error } = useNetwork()
  return (
    <>
      <h1>Network</h1>
      <HealthCard network={data} error={error} />
      {data !== null && (
        <>
          <NodesCard nodes={data.nodes} />
          <RolesCard roles={data.roles} />
          <PeersCard nodes={data.nodes} />
          <IncidentsCard incidents={data.incidents} />
        </>
      )}
    </>
  )
}
