import { useEffect } from 'react'
import { useConfig } from '../data/config.ts'

export function useTitle(title: string): void {
  const { name } = useConfig()
  useEffect(() => {
    document.title = title === '' ? name : `${title} - ${name}`
  }, [title, name])
}
