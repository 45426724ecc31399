package message

import (
	"strings"
	"testing"
)

func TestHTMLText(t *testing.T) {
	cases := []struct{ html, want string }{
		{"", ""},
		{"<p style='color:#fff;background:rgb( 255,\n255,\t255 )'>hidden</p>a", "a"},
		{"<p style='color:rgb(255 255 255 / 1);background:#fff'>hidden</p>a", "a"},
		{"<p style='color:rgb(254.9,255,255);background:white'>hidden</p>a", "a"},
		{"<p style='color:red;background:#ff0000'>hidden</p>a", "a"},
		{"<p style='color:silver;background:#c0c0c0'>hidden</p>a", "a"},
		{"<p style='color:#f4f4f4;background:whitesmoke'>hidden</p>a", "a"},
		{"<style>p/**/.a{display:none}</style><p class=a>hidden</p>a", "a"},
		{"<p style='color:hsl(0, 0%, 0%);background:hsl(0, 0%, 100%)'>seen</p>", "seen"},
		{"<p style='font-size:0;font:120px Arial'>seen</p>", "seen"},
		{"<p style='opacity:0;opacity:1'>seen</p>", "seen"},
		{"<style>#{display:none}</style><p>seen</p>", "seen"},
		{"<img src=x width='10%' alt=seen>", "seen"},
		{"plain", "plain"},
		{"a<br>b<br/>c", "a\nb\nc"},
		{"<p>a</p><p>b</p>", "a\n\nb"},
		{"<div>a</div><div>b</div>", "a\nb"},
		{"<div><div><div>a</div></div></div><div>b</div>", "a\nb"},
		{"a <b> b </b> c", "a b c"},
		{"a<b>b</b>c", "abc"},
		{"a&nbsp;b &lt;c&gt; &euro; &#8364; &unknown;", "a b <c> € € &unknown;"},
		{"<pre>a\n  b\n\nc</pre>d", "a\n  b\n\nc\n\nd"},
		{"<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n\n- b\n\n- c"},
		{"<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"},
		{"<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"},
		{"<blockquote>a<blockquote>b</blockquote></blockquote>c", "> a\n\n> > b\n\nc"},
		{"<title>t</title><style>s</style><script>s</script><textarea>x</textarea>a", "a"},
		{"<head><meta charset=x><title>t</title><p>a", "a"},
		{"<svg><text>x</text></svg>a<svg/>b", "ab"},
		{"<select><option>x</select>a", "a"},
		{"a<!-- x -->b<!--[if mso]>x<![endif]-->", "ab"},
		{"<o:p>a</o:p>", "a"},
		{"<a href='https://example.org/x'>words</a>", "words (https://example.org/x)"},
		{"<a href='https://example.org/x'>https://example.org/x</a>", "https://example.org/x"},
		{"<a href='https://example.org/'>example.org</a>", "example.org"},
		{"<a href='https://evil.example/'>bank.example</a>", "bank.example (https://evil.example/)"},
		{"<a href='mailto:a@example.org?subject=x'>a@example.org</a>", "a@example.org"},
		{"<a href='mailto:a@example.org'>write</a>", "write (a@example.org)"},
		{"<a href='javascript:x'>a</a><a href='#x'>b</a><a href='/x'>c</a>", "abc"},
		{"<a href='https://example.org/" + strings.Repeat("x", 2000) + "'>long</a>", "long"},
		{"<a href='https://example.org/x'><img src=x width=1 height=1 alt=tracked></a>a", "a"},
		{"<a href='https://example.org/x'><img src=x alt='Go on'></a>", "Go on (https://example.org/x)"},
		{"<a href='https://example.org/x' style='display:none'>a</a>b", "b"},
		{"<a href='https://example.org/x'>a<a href='https://example.org/y'>b</a>", "a (https://example.org/x)b (https://example.org/y)"},
		{"<p style=\"display : NONE !important\">x</p>a", "a"},
		{"<p style='display:none'>x<p>a", "a"},
		{"<p style='display:none;display:block'>a", "a"},
		{"<div style='visibility:hidden'>x<b style='visibility:visible'>a</b></div>", "a"},
		{"<td style='font-size:0;line-height:0'><span style='font-size:14px'>a</span></td>", "a"},
		{"<p style='font:0/0 a'>x</p><p style='font:bold 14px/1.5 a'>a</p>", "a"},
		{"<p style='opacity:0.0'>x</p><p style='opacity:1'>a</p>", "a"},
		{"<p style='height:0'>a</p><p style='height:0;overflow:hidden'>x</p>", "a"},
		{"<p style='position:relative;left:-9999px'>a</p><p style='position:absolute;top:-9999px'>x</p>", "a"},
		{"<p style='clip:rect(0 0 0 0)'>x</p>a", "a"},
		{"<p style='color:white'>x</p><p style='color:#fff;background:url(a.png)'>a</p>", "a"},
		{"<p style='color:teal;background:teal'>x</p><p style='color:teal'>a</p>", "a"},
		{"<p style='background-color:#000;color:#fff;background:#fff'>x</p><p style='background:#fff;color:#fff;background-color:#000'>a</p>", "a"},
		{"<p style='font-size:0;font:x'>x</p><p style='font-size:0;font:12px x'>a</p>", "a"},
		{"<p style='color:rgb(255,255,255)'>x</p><p style='color:rgba(255,255,255,.5)'>a</p>", "a"},
		{"<body bgcolor=black text=white>a<font color=black>x</font></body>", "a"},
		{"<style>.x{display:none}</style><p class='y x'>x</p><p class=X>a</p>", "a"},
		{"<style><!-- .x{display:none} --></style><p class=x>x</p>a", "a"},
		{"<style>p.x,#y{display:none}</style><div class=x>a</div><p class=x>x</p><b id=y>x</b>", "a"},
		{"<style>.m .x{display:none}</style><p class=x>a</p>", "a"},
		{"<style>.a .w{background:#000}</style><p class=w style='color:#fff'>a</p>", "a"},
		{"<style>@media(max-width:9px){.x{display:none}} .z{display:none}</style><p class=x>a</p><p class=z>x</p>", "a"},
		{"<p hidden>x</p><p aria-hidden=false>a</p><p aria-hidden=true>x</p>", "a"},
		{"a<b", "a"},
		{"a < b", "a < b"},
		{"</p></div></td>a", "a"},
		{strings.Repeat("<div>", 1000) + "a" + strings.Repeat("</div>", 1000) + "b", "a\nb"},
	}
	for _, c := range cases {
		var notes cuts
		if got := tidy(clean(htmlText(c.html, &notes))); got != c.want {
			t.Errorf("%.200s\nis %q\nwant %q", c.html, got, c.want)
		}
	}
}
