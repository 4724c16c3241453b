import type { Account } from '../../data/platform/account.ts'
import { PLATFORM } from '../../data/platform/ask.ts'
import { useConversations } from '../../data/platform/conversations.ts'
import { useQuery } from '../../data/use-query.ts'
import { Card } from '../../parts/card.tsx'
import { Command } from '../../parts/command/command.tsx'
import { Notice } from '../../parts/notice.tsx'
import { fetchTools } from './fetch-tools.ts'
import { mcpUrl } from './mcp-url.ts'
import { ToolView } from './tool-view.tsx'

/** With an account the list has the tools that need one, too. */
export function ToolList({ account }: { readonly account: Account | null }) {
  return account === null ? <Tools token={null} /> : <ToolsOfAccount account={account} />
}

function ToolsOfAccount({ account }: { readonly account: Account }) {
  const { list } = useConversations(account)
  return <Tools token={list?.[0]?.token ?? null} />
}

function Tools({ token }: { readonly token: string | null }) {
  const { data, error } = useQuery(`tools ${token === null ? 'of all' : 'of a session'}`, () => fetchTools(token))
  if (data === null)
    return (
      <section className="card">
        <Notice error={error} what="the tools of the platform" />
      </section>
    )
  return (
    <Card
      title={`${data.length} tools`}
      aside={<span className="muted">{token === null ? 'those that need no conversation' : 'of your conversations'}</span>}
    >
      <p className="hint">
        The assistant and models use the same list over the Model Context Protocol, at <code>{PLATFORM}/mcp</code> of these pages or{' '}
        <code>/mcp</code> of the platform. The assistant of the chat is offered only those that read.
        {token === null && ' A conversation in the chat adds the tools that need an account.'}
      </p>
      <p>Connect a client of the protocol, or call a tool with curl: each tool has an example.</p>
      <Command text={`claude mcp add --transport http keelson ${mcpUrl()}`} />
      <ul className="tools">
        {data.map((tool) => (
          <ToolView key={tool.name} tool={tool} needsToken={token !== null} />
        ))}
      </ul>
    </Card>
  )
}
