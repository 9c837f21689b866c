import { type Theme, useData, withBase } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineComponent, h } from 'vue'
import './style.css'

/** Each page as the text that it is made of, for a program that reads it. */
const MarkdownLink = defineComponent(() => {
  const { page } = useData()
  return () =>
    h(
      'a',
      { class: 'as-markdown', href: withBase(`/${page.value.relativePath}`), target: '_self' },
      'This page as Markdown',
    )
})

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-footer-before': () => h(MarkdownLink) }),
} satisfies Theme
