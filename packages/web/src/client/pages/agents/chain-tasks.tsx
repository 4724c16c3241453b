import { decodeLog } from '../../data/abi/decode.ts'
import { useConfig } from '../../data/config.ts'
import { useAbis } from '../../data/use-abis.ts'
import { useQuery } from '../../data/use-query.ts'
import { Card } from '../../parts/card.tsx'
import { TryIt } from '../../parts/command/try-it.tsx'
import { DecodedParts } from '../../parts/decoded.tsx'
import { AddressLink, BlockLink, TransactionLink } from '../../parts/hashes/hash.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Table } from '../../parts/table.tsx'
import { fetchTasks, type LogJson, type TaskJson } from './fetch-tasks.ts'

const REFRESH_MS = 5_000
const STATES = ['open', 'claimed', 'completed', 'disputed', 'resolved']

export function ChainTasks() {
  const { Tasks, Agents } = useConfig().contracts.l2
  if (Tasks === undefined || Agents === undefined)
    return (
      <section className="card">
        <p className="empty">This network has no contracts for tasks and agents.</p>
      </section>
    )
  return <TasksOf tasks={Tasks} agents={Agents} />
}

function TasksOf({ tasks, agents }: { readonly tasks: string; readonly agents: string }) {
  const { l2 } = useConfig()
  const { data, error } = useQuery('tasks', () => fetchTasks(tasks, agents), REFRESH_MS)
  if (data === null)
    return (
      <section className="card">
        <Notice error={error} what="the tasks" />
      </section>
    )
  return (
    <div className="agents-cards">
      <Card title={data.count === 1 ? 'One task' : `${data.count} tasks`}>
        <p className="hint">
          Anyone may offer a reward for work in <AddressLink address={tasks} />; agents that staked in <AddressLink address={agents} />{' '}
          claim it. Send these transactions with a wallet: these pages only show them.
        </p>
        {data.tasks.length === 0 ? (
          <TryIt command={createTask(tasks, l2.publicRpcUrl)}>
            Nobody has created a task on this chain yet. This one offers a reward of 1 {l2.currency}, for one day, to the agent that takes
            it:
          </TryIt>
        ) : (
          <Table caption="Newest tasks" rows={data.tasks} keyOf={({ id }) => String(id)} columns={COLUMNS} />
        )}
      </Card>
      <Card title="Events of tasks and agents" aside={<span className="muted">since block {data.fromBlock}</span>}>
        {data.logs.length === 0 ? (
          <p className="empty">There are none: no agent was registered, and no task changed.</p>
        ) : (
          <ul className="rows">
            {data.logs.map((log) => (
              <EventRow key={`${log.transactionHash} ${log.logIndex}`} log={log} />
            ))}
          </ul>
        )}
      </Card>
    </div>
  )
}

function createTask(tasks: string, rpcUrl: string | null): string {
  const call = '"createTask(string,uint256,uint256,bytes)" "Translate a page" 1ether $(($(date +%s) + 86400)) 0x'
  return `cast send ${tasks} ${call} --value 1ether --rpc-url ${rpcUrl ?? 'RPC_URL'} --private-key KEY`
}

const COLUMNS = [
  { name: 'Task', show: ({ id }: TaskJson) => `#${id}` },
  { name: 'State', show: ({ status }: TaskJson) => <span className="badge">{STATES[status] ?? `state ${status}`}</span> },
  { name: 'Agent', show: ({ agent }: TaskJson) => (agent === '' ? 'none' : <AddressLink address={agent} />) },
]

function EventRow({ log }: { readonly log: LogJson }) {
  const abis = useAbis()
  const decoded = abis === null ? null : decodeLog(log.topics, log.data, abis)
  return (
    <li>
      <span className="row-main">
        <BlockLink number={Number(log.blockNumber)} />
      </span>
      <div className="row-detail">{decoded === null ? 'an event that is not known' : <DecodedParts decoded={decoded} />}</div>
      <TransactionLink hash={log.transactionHash} />
    </li>
  )
}
