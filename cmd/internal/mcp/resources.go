package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

const (
	resourceScheme = "handoff://"
	maxResources   = 20
)

// listResources lists the newest unread handoffs of the server's operator, or of all if there is none. On an
// error the list is empty; handoff_list reports why.
func (p project) listResources(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		list, ok := res.(*mcp.ListResourcesResult)
		if err != nil || !ok || list == nil {
			return res, err
		}
		_, _ = guarded(func() (any, error) {
			unread, err := p.unread()
			for _, e := range slices.Backward(unread) {
				list.Resources = append(list.Resources, resourceOf(e))
			}
			return nil, err
		})
		return list, nil
	}
}

func (p project) unread() ([]handoff.Entry, error) {
	found, s, err := p.open()
	if err != nil {
		return nil, err
	}
	entries, err := s.List(handoff.Filter{To: found.Me(), Unread: true})
	return entries[max(0, len(entries)-maxResources):], err
}

func resourceOf(e handoff.Entry) *mcp.Resource {
	return &mcp.Resource{
		URI: resourceScheme + strings.TrimPrefix(e.ID, "sha256:"), Name: e.Topic, MIMEType: "text/plain",
		Description: "from " + e.From + " to " + e.To + ", " + e.Time + ", unread",
	}
}

// resource returns a handoff by its URI.
func (p project) resource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id, _ := strings.CutPrefix(req.Params.URI, resourceScheme)
	r, err := guarded(func() (any, error) { return p.read(ctx, readArgs{ID: id}) })
	if errors.Is(err, handoff.ErrInvalid) {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	if err != nil {
		return nil, errors.New(cli.ExitOf(err).Name + ": " + fault.Plain(err))
	}
	text, _ := r.(string)
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "text/plain",
		Text: text + p.named()}}}, nil
}
