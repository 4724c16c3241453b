import { Command } from '../../parts/command/command.tsx'
import { exampleCall } from './example-call.ts'
import type { ArgumentSchema, ToolJson } from './fetch-tools.ts'
import { mcpUrl } from './mcp-url.ts'

export function ToolView({ tool, needsToken }: { readonly tool: ToolJson; readonly needsToken: boolean }) {
  const { name, title, description, inputSchema, annotations } = tool
  const properties = Object.entries(inputSchema.properties ?? {})
  const movesMoney = annotations?.destructiveHint === true
  return (
    <li>
      <details className="tool">
        <summary>
          <span className="tool-name">
            <strong>{title ?? name}</strong> <code className="muted">{name}</code>
          </span>
          <span className={`badge ${movesMoney ? 'is-bad' : 'is-good'}`}>{movesMoney ? 'moves money' : 'reads'}</span>
        </summary>
        <p>{description}</p>
        {properties.length === 0 ? (
          <p className="muted">It takes no arguments.</p>
        ) : (
          <dl className="tool-arguments">
            {properties.map(([argument, schema]) => (
              <div key={argument}>
                <dt>
                  <code>{argument}</code>{' '}
                  <span className="muted">
                    {typeOf(schema)}
                    {inputSchema.required?.includes(argument) !== true && ', optional'}
                  </span>
                </dt>
                <dd>{schema.description ?? ''}</dd>
              </div>
            ))}
          </dl>
        )}
        <p className="muted">An example call{needsToken && ', with the token of a conversation in TOKEN'}:</p>
        <Command text={exampleCall(tool, mcpUrl())} />
      </details>
    </li>
  )
}

function typeOf({ type, enum: values, anyOf }: ArgumentSchema): string {
  if (values !== undefined) return values.map(String).join(' or ')
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ')
  return typeof type === 'string' ? type : (type?.join(' or ') ?? 'any')
}
