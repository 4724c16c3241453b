import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { HomePage } from '../pages/home/home-page.tsx'

export interface PageProps {
  /** The part of the path that names a thing, such as a block's number. */
  readonly id: string
}

type Page = ComponentType<PageProps> | LazyExoticComponent<ComponentType<PageProps>>

interface Route {
  readonly pattern: RegExp
  readonly page: Page
}

const ROUTES: readonly Route[] = [{ pattern: /^\/$/, page: HomePage }]

const NotFound = lazy(async () => ({ default: (await import('../pages/not-found-page.tsx')).NotFoundPage }))

export function findPage(path: string): { readonly page: Page; readonly id: string } {
  for (const { pattern, page } of ROUTES) {
    const found = pattern.exec(path)
    if (found !== null) return { page, id: found[1] ?? '' }
  }
  return { page: NotFound, id: path }
}
