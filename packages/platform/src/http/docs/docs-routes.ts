/** Serves /docs, a page that shows the API description and sends requests. It loads nothing from other servers. */
import type { FastifyInstance } from 'fastify'
import { DOCS_HTML, DOCS_STYLE } from './docs-page.ts'
import { DOCS_SCRIPT } from './docs-script.ts'

const FILES = {
  '/docs': ['text/html; charset=utf-8', DOCS_HTML],
  '/docs/docs.css': ['text/css; charset=utf-8', DOCS_STYLE],
  '/docs/docs.js': ['text/javascript; charset=utf-8', DOCS_SCRIPT],
} as const

export const DOCS_ROUTES = Object.keys(FILES).map((path) => ({ method: 'GET', path }))

/** Text in an answer must not run as a script or load anything. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'"

export function addDocsPage(app: FastifyInstance): void {
  for (const [path, [type, text]] of Object.entries(FILES))
    app.get(path, { schema: { hide: true } }, async (_request, reply) =>
      reply.type(type).header('content-security-policy', POLICY).header('x-content-type-options', 'nosniff').send(text),
    )
}
